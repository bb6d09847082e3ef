package train

import (
	"errors"

	"parley/internal/service"
	"parley/internal/usererror"
)

// ErrInterrupted is wrapped by the error of a run that was interrupted. Everything up to its last checkpoint is saved, and
// the error's text holds the command that resumes it.
var ErrInterrupted = errors.New("interrupted")

// An interruption is the error of what was interrupted: who was waited for then, as far as why says it, and what is kept.
type interruption struct {
	why  error
	kept string
}

func (e *interruption) Error() string {
	return ErrInterrupted.Error() + service.Waited(e.why) + ": " + e.kept
}

func (e *interruption) Unwrap() []error { return []error{ErrInterrupted, e.why} }

// A UserError is a mistake in what the user asked for; nothing was started.
type UserError = usererror.Error
