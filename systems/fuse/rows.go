package fuse

import (
	"fmt"
	"slices"
	"strings"
)

// An Origin says where a row comes from.
type Origin string

// The origins.
const (
	FromTeacher Origin = "teacher"
	FromStart   Origin = "start" // the student before training: nothing of the teacher's row has a student token
	FromGold    Origin = "gold"  // the next token of the text: the positions do not match
	FromNone    Origin = "none"  // nothing follows the last token
)

// A Row is the target of one student position: tokens with their probabilities, which sum to 1.
type Row struct {
	From  Origin
	IDs   []int
	Probs []float64
}

// An Aligner makes targets out of a teacher's rows.
type Aligner struct {
	Vocabulary  *Vocabulary
	Temperature float64
}

// A Text is one piece of text as two tokenizers cut it, with the best logits after every token: the teacher's, and those of the student before
// training.
type Text struct {
	Student, Teacher []int
	TeacherTop       []Logits
	StartTop         []Logits
}

func (t Text) check() error {
	if len(t.TeacherTop) != len(t.Teacher) || len(t.StartTop) != len(t.Student) {
		return fmt.Errorf("align: %d rows for %d teacher tokens, %d for %d student tokens", len(t.TeacherTop), len(t.Teacher), len(t.StartTop), len(t.Student))
	}
	return nil
}

// Rows returns the target of every student position: what is to follow its token.
func (a Aligner) Rows(t Text) ([]Row, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	v := a.Vocabulary
	path, err := Warp(texts(v.student, t.Student), texts(v.teacher, t.Teacher), v.student.Mark, v.teacher.Mark)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(t.Student))
	for s, match := range path.Matches(len(t.Student)) {
		switch {
		case s == len(rows)-1:
			rows[s] = Row{From: FromNone}
		case len(match) != 1 || !a.agree(s, t.Student[s], t.Teacher[match[0]]):
			rows[s] = Row{FromGold, []int{t.Student[s+1]}, []float64{1}}
		default:
			rows[s] = a.carry(t.TeacherTop[match[0]], t.StartTop[s])
		}
	}
	return rows, nil
}

func texts(t Tokenizer, ids []int) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = t.Tokens[id]
	}
	return out
}

// agree says whether two matched tokens mean the same: equal texts, or the teacher's maps to the student's. Some teachers write no mark before the
// first word of a text; there it is supplied.
func (a Aligner) agree(position, student, teacher int) bool {
	v := a.Vocabulary
	want, text, mark := v.student.Tokens[student], v.exchanged(teacher), v.student.Mark
	if position == 0 && strings.HasPrefix(want, mark) && !strings.HasPrefix(text, mark) {
		text = mark + text
	}
	return text == want || v.Student(teacher) == student
}

// carry moves a teacher's row to the student's vocabulary. Where several teacher tokens map to one student token, the first of them, which is the
// most probable, is kept.
func (a Aligner) carry(teacher, start Logits) Row {
	var moved Logits
	for i, id := range teacher.IDs {
		if to := a.Vocabulary.Student(id); to != None && !slices.Contains(moved.IDs, to) {
			moved.IDs, moved.Values = append(moved.IDs, to), append(moved.Values, teacher.Values[i])
		}
	}
	if len(moved.IDs) == 0 {
		return Row{FromStart, start.IDs, start.Probabilities(a.Temperature)}
	}
	return Row{FromTeacher, moved.IDs, moved.Probabilities(a.Temperature)}
}
