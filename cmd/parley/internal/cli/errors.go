package cli

import "fmt"

// A UsageError is a mistake on the command line that the parser cannot know.
type UsageError struct{ message string }

func (e *UsageError) Error() string { return e.message }

// Usagef returns a [UsageError]: what is wrong, and what to write instead.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// A ShownError has been reported on stdout already; only its exit code counts.
type ShownError struct{ error }

// Shown says that err has been reported.
func Shown(err error) error { return &ShownError{err} }

func (e *ShownError) Unwrap() error { return e.error }
