// Package usererror marks mistakes in what the user asked for: a recipe, a file, a flag. Nothing has been started when one is found, and
// the program exits with 2 instead of 1.
package usererror

import "fmt"

// An Error is a mistake in what the user asked for; nothing was started.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errorf is [fmt.Errorf] as an [Error].
func Errorf(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }
