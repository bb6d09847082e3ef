package service

import (
	"context"
	"errors"
	"time"
)

// moment is how long is left for the last words once the run has ended.
const moment = time.Second / 2

// Parting is a context for what others are told at the end, whether they listen or not: it lasts so long while the run goes on, whose context is
// ctx, and a moment once that has ended.
func Parting(ctx context.Context, longest time.Duration) (context.Context, context.CancelFunc) {
	telling, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(moment, cancel) })
	return telling, func() { stop(); cancel() }
}

// A LeftError is why there is no answer where the caller's context ended first.
type LeftError struct {
	Who string // did not answer
	err error  // of the context
}

func (e *LeftError) Error() string { return "waiting for " + e.Who + ": " + e.err.Error() }

// Unwrap is the error of the context.
func (e *LeftError) Unwrap() error { return e.err }

// Left is the error of who waits no longer, because ctx has ended; nil: it has not.
func Left(ctx context.Context, who string) error {
	if ctx.Err() == nil {
		return nil
	}
	return &LeftError{who, ctx.Err()}
}

// LeftAmong is the first error of replies that says who was waited for when ctx ended, or else that of ctx; nil: it has not ended.
func LeftAmong[R any](ctx context.Context, replies []R, errorOf func(R) error) error {
	if ctx.Err() == nil {
		return nil
	}
	for _, r := range replies {
		if left := new(LeftError); errors.As(errorOf(r), &left) {
			return left
		}
	}
	return ctx.Err()
}

// Waited says who was waited for, as an addition to the word interrupted; empty: an error says nothing of it.
func Waited(err error) string {
	if left := new(LeftError); errors.As(err, &left) {
		return " while it waited for " + left.Who
	}
	return ""
}
