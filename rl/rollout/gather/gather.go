// Package gather lets many work at once and puts what they ask at the same time into one call.
//
//	gather.go    a desk: whoever asks while a call is under way goes into the next one; so many at a time; somebody who may take so long
//	engine.go    an engine behind a desk
//	batching.go  an engine that takes requests in while it samples others; visit.go is what one caller hears of it
//	progress.go  how far many are, as one
//
// A desk serves what is quicker in large batches, and must not be called twice at once; results do not depend on who is in which call.
package gather

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Desk asks for many.
type Desk[Q, A any] struct {
	ask func([]Q) ([]A, error)

	mu      sync.Mutex
	waiting []*call[Q, A]
	busy    bool
}

// A call is what one has asked.
type call[Q, A any] struct {
	asked   []Q
	answers []A
	err     error
	done    chan struct{}
}

// New returns a desk. ask answers all questions in their order, or has one error for all of them; it is called once at a time.
func New[Q, A any](ask func([]Q) ([]A, error)) *Desk[Q, A] { return &Desk[Q, A]{ask: ask} }

// Ask returns the answers to what is asked. Who leaves, because ctx is done, gets none; the call that it is in goes on for the others.
func (d *Desk[Q, A]) Ask(ctx context.Context, asked []Q) ([]A, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	c := &call[Q, A]{asked: asked, done: make(chan struct{})}
	d.mu.Lock()
	d.waiting = append(d.waiting, c)
	if !d.busy {
		d.busy = true
		go d.work()
	}
	d.mu.Unlock()
	select {
	case <-c.done:
		return c.answers, c.err
	case <-ctx.Done():
		d.leave(c)
		return nil, ctx.Err()
	}
}

// leave takes a call out of those that wait, if it is still there.
func (d *Desk[Q, A]) leave(c *call[Q, A]) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = slices.DeleteFunc(d.waiting, func(other *call[Q, A]) bool { return other == c })
}

// work asks until no call waits.
func (d *Desk[Q, A]) work() {
	for {
		d.mu.Lock()
		calls := d.waiting
		d.waiting = nil
		d.busy = len(calls) > 0
		d.mu.Unlock()
		if len(calls) == 0 {
			return
		}
		d.serve(calls)
	}
}

// serve asks for some calls together.
func (d *Desk[Q, A]) serve(calls []*call[Q, A]) {
	var all []Q
	for _, c := range calls {
		all = append(all, c.asked...)
	}
	answers, err := d.ask(all)
	if err == nil && len(answers) != len(all) {
		err = fmt.Errorf("%d answers to %d questions", len(answers), len(all))
	}
	for _, c := range calls {
		if c.err = err; err == nil {
			c.answers, answers = answers[:len(c.asked):len(c.asked)], answers[len(c.asked):]
		}
		close(c.done)
	}
}

// Each calls f with 0, ..., n-1, at most so many at a time, in this order. Of several errors it returns that of the lowest number, whatever
// finished first.
func Each(n, atATime int, f func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, atATime) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = f(i)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

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

// All calls f with 0, ..., n-1, as many at a time as there are processors; see [Each].
func All(n int, f func(i int) error) error { return Each(n, runtime.GOMAXPROCS(0), f) }
