package fuse

import (
	"errors"
	"slices"
)

// A Step of a path pairs a teacher position with a student position.
type Step struct{ Teacher, Student int }

// A Path is the cheapest way through two tokenisations of one text, from their first tokens to their last.
type Path struct {
	Cost  int // sum of the edit distances of what is paired
	Steps []Step
}

// Matches returns, for each of n student positions, the teacher positions that the path pairs it with.
func (p Path) Matches(n int) [][]int {
	out := make([][]int, n)
	for _, s := range p.Steps {
		out[s.Student] = append(out[s.Student], s.Teacher)
	}
	return out
}

// Warp aligns two tokenisations, given as texts of tokens; both have some. Where several steps cost the same, the way back takes the step on both
// sides, else the one on the teacher's side, else the one on the student's.
func Warp(student, teacher []string, studentMark, teacherMark string) (Path, error) {
	if len(student) == 0 || len(teacher) == 0 {
		return Path{}, errors.New("align: a tokenisation without tokens")
	}
	s := bareRunes(student, Tokenizer{Mark: studentMark})
	d := costs(bareRunes(teacher, Tokenizer{Mark: teacherMark}), s)
	at := Step{len(teacher) - 1, len(student) - 1}
	p := Path{Cost: d[at.Teacher][at.Student], Steps: []Step{at}}
	for at != (Step{}) {
		at = before(d, at)
		p.Steps = append(p.Steps, at)
	}
	slices.Reverse(p.Steps)
	return p, nil
}

func bareRunes(tokens []string, t Tokenizer) [][]rune {
	out := make([][]rune, len(tokens))
	for i, token := range tokens {
		out[i] = []rune(t.bare(token))
	}
	return out
}

// costs are those of the cheapest ways to every pair of positions, [teacher][student].
func costs(teacher, student [][]rune) [][]int {
	d := make([][]int, len(teacher))
	for i := range d {
		d[i] = make([]int, len(student))
		for j := range d[i] {
			d[i][j] = distance(teacher[i], student[j])
			if i > 0 || j > 0 {
				from := before(d, Step{i, j})
				d[i][j] += d[from.Teacher][from.Student]
			}
		}
	}
	return d
}

// before is the cheapest predecessor of a pair of positions, which is not the first one.
func before(d [][]int, at Step) Step {
	i, j := at.Teacher, at.Student
	switch {
	case i == 0:
		return Step{0, j - 1}
	case j == 0:
		return Step{i - 1, 0}
	}
	best := Step{i - 1, j - 1}
	for _, other := range []Step{{i - 1, j}, {i, j - 1}} {
		if d[other.Teacher][other.Student] < d[best.Teacher][best.Student] {
			best = other
		}
	}
	return best
}
