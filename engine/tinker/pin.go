package tinker

import (
	"context"
	"errors"
	"fmt"

	"parley/engine"
	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
)

// Slots implements [engine.Server].
func (e *Engine) Slots() int { return cap(e.slots) }

// Pin implements [engine.Pinner]. Where sessions to sample from keep the weights that they were made of, those of now are used until release is
// called. Other servers sample from what a model is when they come to it, whatever session asks: there copies of the policies are sampled from.
// Critics are not copied, because they are not sampled from.
func (e *Engine) Pin(ctx context.Context) (release func(), err error) {
	if !e.profile.Keeps && !e.profile.Loads {
		return nil, unsupported("policies as they were: the server's samplers do not keep weights, and its models do not load them")
	}
	if !e.pins.CompareAndSwap(false, true) {
		return nil, errors.New("the policies are kept as they are already")
	}
	var held, copies []*policy
	release = func() {
		for _, p := range held {
			p.pinned.Store(nil)
		}
		for _, p := range copies {
			e.unload(p)
		}
		e.pins.Store(false)
	}
	for _, p := range e.all() {
		if p.spec.ValueHead {
			continue
		}
		id, twin, err := e.pin(ctx, p)
		if twin != nil {
			copies = append(copies, twin)
		}
		if err != nil {
			release()
			return nil, fmt.Errorf("keep policy %q: %w", p.name, err)
		}
		p.pinned.Store(&id)
		held = append(held, p)
	}
	return release, nil
}

// pin makes a session to sample from a policy as it is now, and a copy of the policy where that takes one.
func (e *Engine) pin(ctx context.Context, p *policy) (session string, twin *policy, err error) {
	if e.profile.Keeps {
		session, err = e.samplerOf(ctx, p.name)
		return session, nil, err
	}
	state, err := e.saveOnServer(ctx, p, "save_weights")
	if err != nil {
		return "", nil, err
	}
	if twin, err = e.loadState(ctx, reference{Path: state, Spec: p.spec}, p.name, false); err != nil {
		return "", nil, err
	}
	session, err = e.policySampler(ctx, twin)
	return session, twin, err
}

// loadState makes a model of what the server saved.
func (e *Engine) loadState(ctx context.Context, from reference, name engine.Policy, optimizer bool) (*policy, error) {
	p, err := e.create(ctx, name, from.Spec)
	if err != nil {
		return nil, err
	}
	_, err = e.operate(ctx, p, func(seq int) (link.Request, error) {
		return link.Post("load_weights", wire.Load{Model: p.id, Seq: seq, Path: from.Path, Optimizer: optimizer, Type: "load_weights"})
	})
	if err != nil {
		e.unload(p)
		return nil, fmt.Errorf("%s on the server: %w", from.Path, err)
	}
	return p, nil
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
