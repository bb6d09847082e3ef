package lessons

import (
	"fmt"
	"slices"
	"strings"

	"parley/engine"
	"parley/model"
	"parley/systems/fuse"
)

// end is what end tokens are called in both vocabularies: no tokenizer has such a text.
const end = "\x00end"

// tokenizer is what alignment knows of a model's.
func tokenizer(m *model.Model) fuse.Tokenizer {
	out := fuse.Tokenizer{Tokens: make([]string, m.Tokenizer.Size())}
	marks := map[string]int{}
	for id := range out.Tokens {
		out.Tokens[id], _ = m.Tokenizer.Token(id)
		for _, mark := range []string{"Ġ", "▁"} {
			if strings.HasPrefix(out.Tokens[id], mark) && out.Tokens[id] != mark {
				marks[mark]++
			}
		}
	}
	if out.Mark = "Ġ"; marks["▁"] > marks["Ġ"] {
		out.Mark = "▁"
	}
	if len(marks) == 0 {
		out.Mark = ""
	}
	out.Tokens[m.Stop()[0]] = end
	return out
}

// An aligner moves what a teacher says to the student's tokens.
type aligner struct {
	fuse.Aligner
	student, teacher int // end tokens
}

func newAligner(s fuse.Settings, student, teacher *model.Model) aligner {
	v := fuse.NewVocabulary(tokenizer(student), tokenizer(teacher), fuse.Mode(s.Align))
	return aligner{fuse.Aligner{Vocabulary: v, Temperature: s.Temperature}, student.Stop()[0], teacher.Stop()[0]}
}

// rows returns the distribution before every token of the student's text. Alignment speaks of what follows a token, so an end token stands for
// what is asked, in front of both texts.
func (a aligner) rows(start, teacher read) ([][]engine.Target, error) {
	t := fuse.Text{
		Student: append([]int{a.student}, start.Tokens...), Teacher: append([]int{a.teacher}, teacher.Tokens...),
		StartTop: slices.Concat(start.Top, []fuse.Logits{{}}), TeacherTop: slices.Concat(teacher.Top, []fuse.Logits{{}}), // nothing follows the end
	}
	rows, err := a.Rows(t)
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", start.ID, err)
	}
	out := make([][]engine.Target, len(start.Tokens))
	for i, row := range rows[:len(out)] {
		for k, id := range row.IDs {
			out[i] = append(out[i], engine.Target{Token: id, Mass: float32(row.Probs[k])})
		}
	}
	return out, nil
}
