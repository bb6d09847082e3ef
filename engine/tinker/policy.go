package tinker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"parley/engine"
	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
	"parley/internal/seed"
)

// A policy is a model of the session: an adapter with the state of its optimizer.
type policy struct {
	name engine.Policy
	spec engine.PolicySpec

	order sync.Mutex // requests go out one at a time, in the order of their numbers
	id    string     // the server's
	seq   int        // of the last request that it took
	state error      // not nil: nobody knows what the policy is

	waiting []slope                // of the passes of the next step
	heads   offsets                // values of the base, where it has a value head
	now     sampler                // a session to sample from the weights of now
	pinned  atomic.Pointer[string] // one to sample from earlier weights; nil: from those of now
}

// NewPolicy implements [engine.Engine]. The server decides which projections it trains: all.
func (e *Engine) NewPolicy(ctx context.Context, name engine.Policy, spec engine.PolicySpec) error {
	if err := e.checkSpec(name, spec); err != nil {
		return fmt.Errorf("new policy %q: %w", name, err)
	}
	p, err := e.create(ctx, name, spec)
	if err == nil {
		err = e.add(p, false)
	}
	if err != nil {
		return fmt.Errorf("new policy %q: %w", name, err)
	}
	return nil
}

func (e *Engine) checkSpec(name engine.Policy, spec engine.PolicySpec) error {
	switch {
	case name == engine.Base:
		return errors.New("the empty name is the frozen base; choose another")
	case spec.Full:
		return unsupported("a full copy of the base: the server trains adapters")
	case spec.ValueHidden > 0:
		return unsupported("a value head with a hidden layer: values are the difference of two log-probabilities")
	case len(spec.Targets) > 0:
		return unsupported("targets %v: the server adapts all projections", spec.Targets)
	case spec.Rank < 1:
		return fmt.Errorf("rank %d", spec.Rank)
	}
	if _, err := e.policy(name); err == nil {
		return errors.New("it exists already")
	}
	return nil
}

// add puts a policy under its name, instead of one that has it where it may.
func (e *Engine) add(p *policy, replace bool) error {
	e.mu.Lock()
	old := e.policies[p.name]
	if e.policies == nil || old != nil && !replace {
		e.mu.Unlock()
		e.unload(p)
		return errors.New("it exists already")
	}
	e.policies[p.name] = p
	e.mu.Unlock()
	if old != nil {
		e.unload(old)
	}
	return nil
}

// create makes a model.
func (e *Engine) create(ctx context.Context, name engine.Policy, spec engine.PolicySpec) (*policy, error) {
	if err := e.session.Check(); err != nil {
		return nil, err
	}
	p := &policy{name: name, spec: spec}
	reply, err := link.Ask[wire.Reply](ctx, e.c, "create_model", wire.CreateModel{
		Session: e.session.ID, Seq: int(e.session.Models.Add(1)) - 1, Base: e.c.Server.Model, Type: "create_model",
		Lora: wire.Lora{Rank: spec.Rank, Seed: bits31(seed.Derive(spec.Seed, "adapter")), MLP: true, Attn: true},
	})
	if err != nil {
		return nil, err
	}
	a, err := e.c.Await(ctx, reply.Request, false, nil)
	if err != nil {
		return nil, fmt.Errorf("create a model: %w", err)
	}
	made, err := link.Result(a)
	if err == nil && made.Model == "" {
		err = errors.New("create a model: the result names none")
	}
	p.id = made.Model
	return p, err
}

// bits31 makes a seed of one: servers fail at longer ones, and with them others that they compute at the same time.
func bits31(s uint64) int64 { return int64(s & (1<<31 - 1)) }

// unload frees a model. Whether the server hears does not matter.
func (e *Engine) unload(p *policy) {
	ctx, stop := e.session.Parting()
	defer stop()
	if r, err := link.Post("unload_model", wire.OfModel{Model: p.id, Type: "unload_model"}); err == nil {
		_, _, _ = e.c.Once(ctx, r, link.Farewell)
	}
}

// submit sends a request with the next number of the policy, once all before it were taken, and returns what the result goes by. The
// caller holds p.order. A request that was sent is never given up halfway: whether a server took it decides which number comes next.
func (e *Engine) submit(ctx context.Context, p *policy, make func(seq int) (link.Request, error)) (string, error) {
	if err := errors.Join(ctx.Err(), e.session.Check()); err != nil {
		return "", err
	}
	if p.state != nil {
		return "", p.state
	}
	r, err := make(p.seq + 1)
	if err != nil {
		return "", err
	}
	r.Once = !e.profile.Once
	reply, err := e.take(context.WithoutCancel(ctx), r)
	if link.Conflict(err) && strings.HasPrefix(r.Path, "save") { // the name is there: the save was taken, and its answer lost
		p.seq++
		return "", err
	}
	if err != nil {
		p.lose(err)
		return "", err
	}
	p.seq++
	return reply.Request, nil
}

// lose marks a policy of which it is not known what the server made of a request.
func (p *policy) lose(err error) {
	if p.state == nil {
		p.state = fmt.Errorf("policy %s takes no more requests since one failed (%w): load it from a checkpoint", p.name, err)
	}
}

// take sends a request and reads the reply.
func (e *Engine) take(ctx context.Context, r link.Request) (reply wire.Reply, err error) {
	a, err := e.c.Call(ctx, r)
	if err != nil {
		return reply, err
	}
	return link.Result(a)
}

// operate sends a request in turn and waits for its result, which is JSON.
func (e *Engine) operate(ctx context.Context, p *policy, make func(seq int) (link.Request, error)) (wire.Reply, error) {
	p.order.Lock()
	id, err := e.submit(ctx, p, make)
	p.order.Unlock()
	if err != nil {
		return wire.Reply{}, err
	}
	a, err := e.c.Await(ctx, id, false, e.tryTraining)
	if err != nil {
		return wire.Reply{}, err
	}
	return link.Result(a)
}

// tryTraining asks a server that trains for something that has nothing to do with what is waited for: another model, which it may refuse.
func (e *Engine) tryTraining(ctx context.Context) error {
	p, err := e.create(ctx, "canary", engine.PolicySpec{Rank: 1})
	if _, ok := errors.AsType[*link.Failure](err); ok {
		return nil // it has no room for one, and says so
	}
	if err == nil {
		e.unload(p)
	}
	return err
}
