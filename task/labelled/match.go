package labelled

import (
	"fmt"
	"strings"

	"parley/task"
	"parley/task/answer"
)

// A Match says when an answer is right.
type Match string

const (
	Exact      Match = "exact"      // the same text, but for white space around it
	Normalised Match = "normalised" // the same as [answer.Normalized]
	Squad      Match = "squad"      // the same as [answer.Squad]
	SameNumber Match = "number"     // the same number, as [answer.Math] reads it
	Choice     Match = "choice"     // the same option
	None       Match = "none"       // there is no right answer
)

// parse reads the final answer of a response to no problem in particular.
func (s DataSettings) parse(text string) (canonical string, ok bool) {
	if s.Match == Choice {
		return s.extract(text, "", unlisted.chosen)
	}
	return s.extract(text, "", s.canonical)
}

// extract returns the canonical form of a response's final answer. An answer may stand in quotes, emphasis and other marks, which the right
// answer may have too: it is right with or without any of them. Another answer is read without them.
func (s DataSettings) extract(text, right string, form func(part string) (canonical string, ok bool)) (canonical string, ok bool) {
	for _, part := range s.readings(text) {
		if next, readable := form(part); readable {
			if canonical, ok = next, true; next == right {
				break
			}
		}
	}
	return canonical, ok
}

// readings are the part of a response that is its answer: as it stands, and each time with less around it.
func (s DataSettings) readings(text string) []string {
	switch s.Final {
	case LastLine:
		return answer.LineReadings(text)
	case LastNumber, Response:
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
		return []string{text}
	}
	return answer.BoxReadings(text)
}

// canonical is the form in which answers are compared.
func (s DataSettings) canonical(part string) (canonical string, ok bool) {
	switch s.Match {
	case SameNumber:
		if s.Final == LastNumber {
			return answer.LastNumber(part)
		}
		return answer.Math(`\boxed{` + part + `}`)
	case Exact:
		canonical = strings.TrimSpace(part)
	case Squad:
		canonical = answer.Squad(bare(part))
	default:
		canonical = answer.Normalized(part)
	}
	return canonical, canonical != ""
}

// bare is a text without the markup that a box may have around it.
func bare(text string) string {
	if inner, ok := answer.Boxed(`\boxed{` + text + `}`); ok {
		return inner
	}
	return strings.TrimSpace(text)
}

// rightForm is the canonical form of a right answer.
func (s DataSettings) rightForm(right string) (string, error) {
	canonical, ok := "", false
	if n, err := Number(right); s.Match == SameNumber && err == nil {
		canonical, ok = n, true
	} else {
		canonical, ok = s.canonical(right)
	}
	if !ok {
		return "", fmt.Errorf("%s %.40q is no %s", s.Answer, right, map[bool]string{true: "number", false: "text"}[s.Match == SameNumber])
	}
	// An answer that cannot be written as answers are read would never be right.
	for _, text := range []string{right, braces.Replace(right), canonical} {
		if read, ok := s.extract(s.written(text), canonical, s.canonical); ok && read == canonical {
			return canonical, nil
		}
	}
	return "", fmt.Errorf("%s %.40q cannot be written so that it is read: set task.final to last-line or response", s.Answer, right)
}

// braces are written so in a box where they stand alone.
var braces = strings.NewReplacer("{", `\{`, "}", `\}`)

// written is a response that states an answer.
func (s DataSettings) written(right string) string {
	if s.Final == Boxed {
		return `\boxed{` + right + `}`
	}
	return right
}

// unanswered is a data set without right answers.
type unanswered struct{ loaded *Task }

// Name implements [task.Task].
func (t unanswered) Name() string { return t.loaded.Name() }

// Problems implements [task.Task].
func (t unanswered) Problems(split task.Split, n int) ([]task.Problem, error) {
	return t.loaded.Problems(split, n)
}

// Account says in one line what became of the rows.
func (t unanswered) Account() string { return t.loaded.Account() }

// Count is how many problems a split has.
func (t unanswered) Count(split task.Split) int { return t.loaded.Count(split) }

// LeftOut implements [task.Overlapper].
func (t unanswered) LeftOut() int { return t.loaded.LeftOut() }
