package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/internal/terminal"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/train"
)

// Exit codes, as the contract has them.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	exitInterrupted = 130
)

// Report prints an error for people and returns its exit code. What an error quotes of a program or a server does not drive the terminal.
func Report(stderr io.Writer, err error) int {
	var shown *ShownError
	if err != nil && !errors.As(err, &shown) {
		fmt.Fprintf(stderr, "parley: %s\n", terminal.Printable(Bounded(errorText(err))))
	}
	return exitCode(err)
}

// errorText is what an error says to people.
func errorText(err error) string {
	text := strings.TrimRight(err.Error(), "\n")
	if errors.Is(err, context.Canceled) { // by ^C, or by who stops programs
		text = strings.ReplaceAll(text, context.Canceled.Error(), train.ErrInterrupted.Error())
	}
	return text
}

func exitCode(err error) int {
	var (
		user    *train.UserError
		usage   *UsageError
		list    *recipe.Errors
		unknown *recipe.UnknownError
	)
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, train.ErrInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &user), errors.As(err, &list), errors.As(err, &unknown):
		return ExitUsage
	}
	return ExitFailed
}

// A UsageError is a mistake on the command line that the parser cannot know.
type UsageError struct{ message string }

func (e *UsageError) Error() string { return e.message }

// Usagef returns a [UsageError]: what is wrong, and what to write instead. Flags in the format are written as whoever reads writes them.
func Usagef(format string, args ...any) error {
	if false {
		_ = fmt.Sprintf(format, args...) // go vet looks at the calls of who makes such a call
	}
	return &UsageError{fmt.Sprintf(usererror.Spoken(format), args...)}
}

// A ShownError has been reported on stdout already; only its exit code counts.
type ShownError struct{ error }

// Shown says that err has been reported.
func Shown(err error) error { return &ShownError{err} }

func (e *ShownError) Unwrap() error { return e.error }
