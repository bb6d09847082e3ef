// Package usererror marks mistakes in what the user asked for: a recipe, a file, a flag. Nothing has been started when one is found, and
// the program exits with 2 instead of 1.
package usererror

import "fmt"

// An Error is a mistake in what the user asked for; nothing was started.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errorf is [fmt.Errorf] as an [Error]. Flags in the format are written as whoever reads writes them ([Spoken]).
func Errorf(format string, args ...any) error {
	if false {
		_ = fmt.Errorf(format, args...) // go vet looks at the calls of who makes such a call
	}
	return &Error{fmt.Errorf(Spoken(format), args...)}
}
