package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sync"

	"parley/engine"
	"parley/engine/tinker"
)

// audited is an engine on a server of whose samples some are scored again by an engine on this machine, over the adapters as they came home with the
// last checkpoint. Adapters that moved since are not compared.
type audited struct {
	*tinker.Engine
	here engine.Engine
	most int // samples of a policy in an update

	mu     sync.Mutex
	home   map[engine.Policy]bool   // the policies that are here; those that are not are as they were made, which is as the base is
	moved  map[engine.Policy]bool   // since they came home
	pinned map[engine.Policy]bool   // policies that had moved when they were pinned; nil: none are
	drawn  map[engine.Policy][]pair // to be compared
	apart  float64
	known  bool // something was compared
	over   bool // the update is: what is compared next is of another one
}

// A pair is a sample to score again.
type pair struct {
	datum    engine.Datum
	logprobs []float32
}

var _ engine.Auditor = (*audited)(nil)

func audit(e *tinker.Engine, here engine.Engine, most int) *audited {
	return &audited{Engine: e, here: here, most: most, home: map[engine.Policy]bool{}, moved: map[engine.Policy]bool{}, drawn: map[engine.Policy][]pair{}}
}

// Sample implements [engine.Engine].
func (a *audited) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	out, err := a.Engine.Sample(ctx, reqs)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		a.over, a.known, a.apart = false, false, 0
	}
	moved := a.moved
	if a.pinned != nil {
		moved = a.pinned
	}
	for i, r := range reqs {
		if p := r.Policy; p != engine.Base && !moved[p] && len(a.drawn[p]) < a.most && len(out[i].Tokens) > 0 {
			if !a.home[p] {
				p = engine.Base
			}
			d := engine.Datum{Policy: p, Tokens: slices.Concat(r.Prompt, out[i].Tokens), ScoreFrom: len(r.Prompt)}
			a.drawn[r.Policy] = append(a.drawn[r.Policy], pair{d, out[i].Logprobs})
		}
	}
	return out, nil
}

// Pin implements [engine.Pinner].
func (a *audited) Pin(ctx context.Context) (release func(), err error) {
	inner, err := a.Engine.Pin(ctx)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pinned = map[engine.Policy]bool{}
	maps.Copy(a.pinned, a.moved)
	return func() {
		inner()
		a.mu.Lock()
		a.pinned = nil
		a.mu.Unlock()
	}, nil
}

// Step implements [engine.Engine].
func (a *audited) Step(ctx context.Context, p engine.Policy, opt engine.Adam) (engine.StepInfo, error) {
	all, err := a.Steps(ctx, []engine.PolicyStep{{Policy: p, Adam: opt}})
	if err != nil {
		return engine.StepInfo{}, err
	}
	return all[0], nil
}

// Steps implements [engine.Stepper].
func (a *audited) Steps(ctx context.Context, steps []engine.PolicyStep) ([]engine.StepInfo, error) {
	a.mu.Lock()
	for _, s := range steps {
		if err := a.compare(ctx, s.Policy); err != nil {
			a.mu.Unlock()
			return nil, err
		}
		a.moved[s.Policy] = true
	}
	a.mu.Unlock()
	return a.Engine.Steps(ctx, steps)
}

// Save implements [engine.Engine]: the adapter comes home.
func (a *audited) Save(ctx context.Context, p engine.Policy, dir string) error {
	if err := a.Engine.Save(ctx, p, dir); err != nil {
		return err
	}
	return a.fetch(ctx, p, dir)
}

// Load implements [engine.Engine].
func (a *audited) Load(ctx context.Context, p engine.Policy, dir string) error {
	if err := a.Engine.Load(ctx, p, dir); err != nil {
		return err
	}
	return a.fetch(ctx, p, dir)
}

// fetch reads a policy from a folder. Before that, what the policy said with its old parameters is compared.
func (a *audited) fetch(ctx context.Context, p engine.Policy, dir string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.compare(ctx, p)
	if err == nil {
		err = a.here.Load(ctx, p, dir)
	}
	if err != nil {
		return fmt.Errorf("policy %q on this machine: %w", p, err)
	}
	a.home[p], a.moved[p], a.over = true, false, true
	return nil
}

// compare scores what a policy said since it came home. The caller holds a.mu.
func (a *audited) compare(ctx context.Context, p engine.Policy) error {
	var data []engine.Datum
	for _, one := range a.drawn[p] {
		data = append(data, one.datum)
	}
	out, err := a.here.Forward(ctx, data)
	if err != nil {
		return fmt.Errorf("score samples of policy %q again on this machine: %w", p, err)
	}
	for i, one := range a.drawn[p] {
		for k, lp := range one.logprobs {
			a.apart = max(a.apart, math.Abs(float64(lp-out[i].Logprobs[k])))
		}
		a.known = true
	}
	delete(a.drawn, p)
	return nil
}

// Apart implements [engine.Auditor].
func (a *audited) Apart() (nats float64, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.apart, a.known
}

// Close closes both engines.
func (a *audited) Close() error {
	err := a.Engine.Close()
	if c, ok := a.here.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return err
}
