package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An Error is one thing that is wrong with a file, and where it stands.
type Error struct {
	File    string `json:"file"`             // as given to [NewDecoder], or "--set a.b=c"
	Line    int    `json:"line,omitempty"`   // from 1; 0: no line, as in a --set
	Column  int    `json:"column,omitempty"` // in characters, from 1
	Message string `json:"message"`          // what is wrong and what was expected
	Hint    string `json:"hint,omitempty"`   // what to write instead
}

// Error gives file:line:column: message; hint.
func (e Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	s += ": " + e.Message
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Errors is everything that is wrong with a file, in the order of the file, then of those over it, then of the --set flags.
type Errors struct {
	List []Error `json:"errors"`
}

// Error gives one line per error.
func (e *Errors) Error() string {
	lines := make([]string, len(e.List))
	for i, err := range e.List {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the errors one by one to errors.Is and errors.As.
func (e *Errors) Unwrap() []error {
	list := make([]error, len(e.List))
	for i, err := range e.List {
		list[i] = err
	}
	return list
}

// sortErrors puts the errors of files first, by position, and leaves those of --set flags in their order.
func (d *Decoder) sortErrors() {
	slices.SortStableFunc(d.list, func(a, b Error) int {
		if inFile := b.Line - a.Line; a.Line == 0 || b.Line == 0 {
			return inFile // one of them has no line: it goes last
		}
		return cmp.Or(cmp.Compare(d.layer(a.File), d.layer(b.File)), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// longestError bounds the message of an error: values that it quotes may be of any length.
const longestError = 600

// brief cuts a message that is too long to read.
func brief(message string) string {
	if len(message) <= longestError {
		return message
	}
	return strings.ToValidUTF8(message[:longestError], "") + "…"
}
