// Package gather lets many work at once and puts what they ask at the same time into one call.
//
//	each.go      so many at a time
//	gather.go    a desk: whoever asks while a call is under way goes into the next one
//	engine.go    an engine behind a desk
//	within.go    somebody who may take so long
//	progress.go  how far many are, as one
//
// A desk serves what is quicker in large batches, and must not be called twice at once; results do not depend on who is in which call.
package gather

import (
	"context"
	"fmt"
	"slices"
	"sync"
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
