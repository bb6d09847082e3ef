package tinker

import (
	"context"
	"errors"
	"fmt"
)

// Slots implements [engine.Server].
func (e *Engine) Slots() int { return cap(e.slots) }

// Pin implements [engine.Pinner]: sessions to sample from keep the weights that they were made of, so those of now are used until release is
// called. Of critics, which nobody samples from, none are made.
func (e *Engine) Pin(ctx context.Context) (release func(), err error) {
	if !e.pins.CompareAndSwap(false, true) {
		return nil, errors.New("the policies are kept as they are already")
	}
	var held []*policy
	release = func() {
		for _, p := range held {
			p.pinned.Store(nil)
		}
		e.pins.Store(false)
	}
	for _, p := range e.all() {
		if p.spec.ValueHead {
			continue
		}
		id, err := e.samplerOf(ctx, p.name)
		if err != nil {
			release()
			return nil, fmt.Errorf("keep policy %q: %w", p.name, err)
		}
		p.pinned.Store(&id)
		held = append(held, p)
	}
	return release, nil
}

// all are the policies there are.
func (e *Engine) all() (out []*policy) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.policies {
		out = append(out, p)
	}
	return out
}
