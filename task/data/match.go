package data

import (
	"fmt"
	"strings"

	"parley/task"
	"parley/task/answer"
	"parley/task/labelled"
)

// A Match says when an answer is right.
type Match string

const (
	Exact      Match = "exact"      // the same text, but for white space around it
	Normalised Match = "normalised" // the same as [answer.Normalized]
	Number     Match = "number"     // the same number, as [answer.Math] reads it
	Choice     Match = "choice"     // the same option
	None       Match = "none"       // there is no right answer
)

// parse reads the final answer of a response.
func (s Settings) parse(text string) (canonical string, ok bool) {
	part, ok := s.final(text)
	if !ok {
		return "", false
	}
	switch {
	case s.Match == Choice:
		return unlisted.chosen(part)
	case s.Match == Number && s.Final == LastNumber:
		return answer.LastNumber(part)
	}
	return s.canonical(part)
}

// final is the part of a response that is its answer.
func (s Settings) final(text string) (part string, ok bool) {
	switch s.Final {
	case LastLine:
		return answer.LastLine(text)
	case LastNumber, Response:
		part = strings.TrimSpace(text)
		return part, part != ""
	}
	part, ok = answer.Boxed(text)
	return part, ok && part != ""
}

// canonical is the form in which answers are compared.
func (s Settings) canonical(part string) (canonical string, ok bool) {
	switch s.Match {
	case Number:
		return answer.Math(`\boxed{` + part + `}`)
	case Exact:
		canonical = bare(part)
	default:
		canonical = answer.Normalized(bare(part))
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

// truth is the canonical form of a right answer.
func (s Settings) truth(right string) (string, error) {
	if s.Match == Number {
		if n, err := labelled.Number(right); err == nil {
			return n, nil
		}
	}
	truth, ok := s.canonical(right)
	if !ok {
		return "", fmt.Errorf("%s %.40q is no %s", s.Answer, right, map[bool]string{true: "number", false: "text"}[s.Match == Number])
	}
	// An answer that cannot be written as answers are read would never be right.
	if read, ok := s.parse(s.written(truth)); !ok || read != truth {
		return "", fmt.Errorf("%s %.40q cannot be written so that it is read: set task.final to last-line or response", s.Answer, right)
	}
	return truth, nil
}

// written is a response that states an answer.
func (s Settings) written(truth string) string {
	if s.Final == Boxed {
		return `\boxed{` + truth + `}`
	}
	return truth
}

// unanswered is a data set without right answers.
type unanswered struct{ loaded *labelled.Task }

// Name implements [task.Task].
func (t unanswered) Name() string { return t.loaded.Name() }

// Problems implements [task.Task].
func (t unanswered) Problems(split task.Split, n int) ([]task.Problem, error) {
	return t.loaded.Problems(split, n)
}

// Account says in one line what became of the rows.
func (t unanswered) Account() string { return t.loaded.Account() }

// LeftOut implements [task.Overlapper].
func (t unanswered) LeftOut() int { return t.loaded.LeftOut() }
