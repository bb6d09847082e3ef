package train

import (
	"errors"

	"parley/internal/usererror"
)

// ErrInterrupted is wrapped by the error of a run that was interrupted. Everything up to its last checkpoint is saved, and
// the error's text holds the command that resumes it.
var ErrInterrupted = errors.New("interrupted")

// A UserError is a mistake in what the user asked for; nothing was started.
type UserError = usererror.Error
