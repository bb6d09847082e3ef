package fuse

// These files carry what a teacher knows about next tokens over to a student with another tokenizer (FuseLLM, arXiv 2401.10491, §3.2).
//
// A teacher's distribution stands at its own tokens, over its own vocabulary. Both have to be moved:
//
//	vocabulary.go  teacher token → student token, by text                              [Vocabulary]
//	warp.go        teacher positions → student positions, by dynamic time warping      [Warp]
//	rows.go        both together: the target of every student position                 [Aligner.Rows]
//	topk.go        the k most probable tokens of a row of logits                       [Top]
//
// Tokenizers mark the beginning of a word by a character of their own, such as ▁ or Ġ. Vocabularies are compared with the teacher's mark replaced by
// the student's, and there the mark is a character as any other. Positions are compared without marks.
//
// The warping of two tokenisations of one text minimises the sum of edit distances along a path,
//
//	D[i][j] = lev(teacher i, student j) + min(D[i−1][j−1], D[i−1][j], D[i][j−1])
//
// A row at student position s teaches what follows token s. Where the path does not pair s with one teacher token of the same meaning, the row is the
// gold token at s+1: alignment failures become plain language modelling. (The published code takes the token at s there, and so teaches it to repeat.)
// With one tokenizer on both sides everything here is the identity.

import (
	"strings"
	"unicode/utf8"
)

// A Tokenizer is what alignment has to know of one: the texts of its tokens by id, and the mark that begins a word; empty: none.
type Tokenizer struct {
	Tokens []string
	Mark   string
}

// bare is a token without marks.
func (t Tokenizer) bare(token string) string {
	if t.Mark == "" {
		return token
	}
	return strings.ReplaceAll(token, t.Mark, "")
}

// A Mode says what becomes of a teacher token whose text the student does not have.
type Mode string

// The modes.
const (
	Mined Mode = "mined" // the nearest student token by edit distance (MinED), the lowest id among equals
	Exact Mode = "exact" // none
)

// None stands in the place of a student token where a teacher token has no counterpart.
const None = -1

// A Vocabulary maps teacher tokens to student tokens. It remembers what it has looked up, so it is not for several goroutines at once.
type Vocabulary struct {
	student, teacher Tokenizer
	mode             Mode
	ids              map[string]int // the first student token of every text
	lengths          []int          // of student tokens, in characters
	known            map[int]int
}

// NewVocabulary prepares the map of a teacher's tokens to a student's.
func NewVocabulary(student, teacher Tokenizer, mode Mode) *Vocabulary {
	v := &Vocabulary{student: student, teacher: teacher, mode: mode, ids: map[string]int{}, known: map[int]int{}}
	for id, text := range student.Tokens {
		if _, there := v.ids[text]; !there {
			v.ids[text] = id
		}
		v.lengths = append(v.lengths, utf8.RuneCountInString(text))
	}
	return v
}

// exchanged is the text of a teacher token with the student's marks.
func (v *Vocabulary) exchanged(id int) string {
	text := v.teacher.Tokens[id]
	if v.teacher.Mark == "" {
		return text
	}
	return strings.ReplaceAll(text, v.teacher.Mark, v.student.Mark)
}

// Student returns the student token of a teacher token, or [None].
func (v *Vocabulary) Student(teacher int) int {
	id, known := v.known[teacher]
	if !known {
		id = v.find(v.exchanged(teacher))
		v.known[teacher] = id
	}
	return id
}

// Map returns the student token of every teacher token.
func (v *Vocabulary) Map() []int {
	out := make([]int, len(v.teacher.Tokens))
	for i := range out {
		out[i] = v.Student(i)
	}
	return out
}

func (v *Vocabulary) find(text string) int {
	if id, there := v.ids[text]; there {
		return id
	}
	if v.mode == Exact {
		return None
	}
	return v.nearest([]rune(text))
}

// nearest is the student token of smallest edit distance. A token whose length alone is as far off as the best so far is not looked at.
func (v *Vocabulary) nearest(text []rune) int {
	best, least := None, 0
	for id, token := range v.student.Tokens {
		apart := max(v.lengths[id]-len(text), len(text)-v.lengths[id])
		if best != None && apart >= least {
			continue
		}
		if d := distance(text, []rune(token)); best == None || d < least {
			best, least = id, d
		}
	}
	return best
}

// distance is Levenshtein's: the fewest characters to insert, remove or replace.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1) // distances of a[:i] from every b[:j]
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			replace := diagonal
			if x != y {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
