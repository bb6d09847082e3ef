package gather

import (
	"context"
	"errors"
	"time"
)

// ErrLate is the cause with which the context of [Within] ends.
var ErrLate = errors.New("the time is over")

// moment is how long a call that is late has to clean up.
const moment = time.Second

// Within calls f with a context that ends after a time, and waits for it a moment longer at most. left says that f has not returned by then.
// It may still run, and its results are not used.
func Within(ctx context.Context, limit time.Duration, f func(ctx context.Context) error) (left bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrLate)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	select {
	case err := <-done:
		return false, err
	case <-ctx.Done():
	}
	over := time.NewTimer(moment)
	defer over.Stop()
	select {
	case err := <-done:
		return false, err
	case <-over.C:
		return true, nil
	}
}
