package tinker

import (
	"errors"
	"fmt"
	"net/http"

	"parley/engine"
	"parley/serve/tinker/checkpoint"
	"parley/serve/tinker/losses"
	"parley/serve/tinker/promise"
)

// A userError is one that the client can repair. Other errors of work are the server's.
type userError struct{ error }

func (e userError) Unwrap() error { return e.error }

// wrong is a [userError].
func wrong(format string, args ...any) error { return userError{fmt.Errorf(format, args...)} }

// failureOf is how work failed.
func failureOf(err error) promise.Failure {
	category := "server"
	var f *checkpoint.Fault
	if errors.As(err, new(userError)) || errors.As(err, &f) || errors.Is(err, losses.ErrNoNumber) || errors.Is(err, engine.ErrTooLong) || errors.Is(err, engine.ErrNoToken) || errors.Is(err, engine.ErrNotFinite) {
		category = "user"
	}
	return promise.Failure{Category: category, Words: err.Error()}
}

// body reads one whole.
func (s *Server) body(r *http.Request) ([]byte, *checkpoint.Fault) {
	return checkpoint.Body(r, s.options.MaxBody)
}

// read reads a body in JSON.
func read[T any](s *Server, r *http.Request) (T, *checkpoint.Fault) {
	return checkpoint.Read[T](r, s.options.MaxBody)
}
