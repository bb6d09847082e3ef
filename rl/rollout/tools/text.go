package tools

import (
	"encoding/json"
	"strings"
)

// A Marked form has the argument of a call between two marks, within the text: <<12+3>>. It is for bases whose template knows no tools. Where
// the first mark is empty, a call begins with its line. The call names a function by its first word, or it is one of the first function.
type Marked struct {
	Open, Close string
	Functions   []string // names
}

// Calls implements [Form]: a text ends at the first call that is whole, so that there is at most one.
func (m Marked) Calls(text string) []Call {
	inside, ok := m.Inside(text)
	if !ok {
		return nil
	}
	c := Call{Written: inside, Name: m.Functions[0]}
	argument := strings.TrimSpace(inside)
	if first, rest, _ := strings.Cut(argument, " "); len(m.Functions) > 1 {
		for _, name := range m.Functions {
			if first == name {
				c.Name, argument = name, strings.TrimSpace(rest)
			}
		}
	}
	c.Arguments, _ = json.Marshal(argument)
	return []Call{c}
}

// Inside returns what stands between the marks of the first call of a text; false: none is whole.
func (m Marked) Inside(text string) (string, bool) {
	if m.Open != "" {
		_, rest, found := strings.Cut(text, m.Open)
		if !found {
			return "", false
		}
		inside, _, closed := strings.Cut(rest, m.Close)
		return inside, closed
	}
	for line := range strings.Lines(text) {
		if before, _, found := strings.Cut(line, m.Close); found && strings.TrimSpace(before) != "" {
			return before, true
		}
	}
	return "", false
}
