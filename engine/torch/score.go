package torch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"parley/engine"
	"parley/engine/torch/pipe"
)

// A share is the data of a call that one worker computes.
type share struct {
	of     []int // indexes of data
	data   []engine.Datum
	soft   [][][]engine.Target // of data; nil: none
	values []bool              // policies with value heads
	places int                 // log-probabilities of all
	states int                 // values of all
}

// shares distributes data so that every worker has about as many tokens.
func (e *Engine) shares(data []engine.Datum, targets [][][]engine.Target, policies []*policy) []share {
	out := make([]share, len(e.workers))
	load := make([]int, len(e.workers))
	order := make([]int, len(data))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(data[b].Tokens), len(data[a].Tokens)) })
	for _, i := range order {
		w := slices.Index(load, slices.Min(load))
		load[w] += len(data[i].Tokens)
		s, p := &out[w], policies[i]
		if targets != nil {
			s.soft = append(s.soft, targets[i])
		}
		s.of, s.data, s.values = append(s.of, i), append(s.data, data[i]), append(s.values, p != nil && p.values > 0)
	}
	return out
}

// request is what the worker is asked about its share.
func (s *share) request(op string) pipe.Request {
	var settings palette
	var tokens, asked, counts, goals []int
	var masses []float32
	list := make([]map[string]any, len(s.data))
	s.places, s.states = 0, 0
	for i := range s.data {
		d := &s.data[i]
		n := d.Asked()
		tokens = append(tokens, d.Tokens...)
		for j := range n {
			asked = append(asked, d.Index(j))
		}
		if !d.ValuesOnly {
			s.places += n
		}
		if s.values[i] {
			s.states += n + 1
		}
		list[i] = map[string]any{
			"policy": d.Policy, "tokens": len(d.Tokens), "asked": n, "setting": settings.number(d.Sampling, d.Mask), "values_only": d.ValuesOnly, "values": s.values[i],
			"soft": s.soft != nil && s.soft[i] != nil,
		}
		if s.soft == nil {
			continue
		}
		for _, q := range s.soft[i] {
			counts = append(counts, len(q))
			for _, t := range q {
				goals, masses = append(goals, t.Token), append(masses, t.Mass)
			}
		}
	}
	q := pipe.Request{Op: op, Tensors: []pipe.Tensor{pipe.Ints("tokens", tokens), pipe.Ints("asked", asked)}, Fields: map[string]any{"data": list, "settings": settings.list}}
	if s.soft != nil {
		q.Tensors = append(q.Tensors, pipe.Ints("counts", counts), pipe.Ints("targets", goals), pipe.Floats("masses", masses))
	}
	return q
}

// read takes the outputs of a share.
func (s *share) read(f *pipe.Frame, to []engine.Output) error {
	logprobs, err := f.Floats("logprobs", s.places)
	if err != nil {
		return err
	}
	values, err := f.Floats("values", s.states)
	if err != nil {
		return err
	}
	for i, at := range s.of {
		n := s.data[i].Asked()
		if !s.data[i].ValuesOnly {
			to[at].Logprobs, logprobs = logprobs[:n:n], logprobs[n:]
		}
		if s.values[i] {
			to[at].Values, values = values[:n+1:n+1], values[n+1:]
		}
		what := fmt.Sprintf("datum %d of policy %q: log-probabilities and values: output", at, s.data[i].Policy)
		if err := errors.Join(finite(what, to[at].Logprobs), finite(what, to[at].Values)); err != nil {
			return err
		}
	}
	return nil
}

// slopes are the gradients of a share's outputs, as tensors.
func (s *share) slopes(gradients []engine.Gradient) []pipe.Tensor {
	logprobs, values := make([]float32, 0, s.places), make([]float32, 0, s.states)
	add := func(to []float32, g []float32, n int) []float32 {
		if g == nil {
			g = make([]float32, n)
		}
		return append(to, g...)
	}
	for i, at := range s.of {
		n := s.data[i].Asked()
		if !s.data[i].ValuesOnly {
			logprobs = add(logprobs, gradients[at].Logprobs, n)
		}
		if s.values[i] {
			values = add(values, gradients[at].Values, n+1)
		}
	}
	return []pipe.Tensor{pipe.Floats("logprobs", logprobs), pipe.Floats("values", values)}
}

// prepare checks data and shares them out.
func (e *Engine) prepare(data []engine.Datum, targets [][][]engine.Target, train bool) ([]share, error) {
	if targets != nil && len(targets) != len(data) {
		return nil, fmt.Errorf("there are targets for %d data of %d", len(targets), len(data))
	}
	policies := make([]*policy, len(data))
	for i := range data {
		p, err := e.checkDatum(&data[i])
		if err == nil && train && p == nil {
			err = errors.New("the frozen base cannot be trained")
		}
		if err == nil && targets != nil {
			err = engine.CheckTargets(&data[i], targets[i], e.info.Vocab)
		}
		if err != nil {
			return nil, fmt.Errorf("datum %d: %w", i, err)
		}
		policies[i] = p
	}
	return e.shares(data, targets, policies), nil
}

// Forward implements [engine.Engine].
func (e *Engine) Forward(ctx context.Context, data []engine.Datum) ([]engine.Output, error) {
	return e.ForwardSoft(ctx, data, nil)
}

// ForwardSoft implements [engine.Distiller].
func (e *Engine) ForwardSoft(ctx context.Context, data []engine.Datum, targets [][][]engine.Target) ([]engine.Output, error) {
	out, err := e.score(ctx, "forward", data, targets)
	if err != nil {
		return nil, fmt.Errorf("forward: %w", err)
	}
	return out, nil
}

// score lets the workers compute numbers of the asked tokens of data.
func (e *Engine) score(ctx context.Context, op string, data []engine.Datum, targets [][][]engine.Target) ([]engine.Output, error) {
	unlock, err := e.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	shares, err := e.prepare(data, targets, false)
	if err != nil {
		return nil, err
	}
	out := make([]engine.Output, len(data))
	err = engine.Together(ctx, len(shares), len(shares), func(ctx context.Context, w int) error {
		s := &shares[w]
		if len(s.of) == 0 {
			return nil
		}
		f, err := e.workers[w].Call(ctx, s.request(op))
		if err != nil {
			return err
		}
		return e.workers[w].Believe(op, s.read(f, out))
	})
	if err != nil {
		return nil, err
	}
	e.count(func(c *engine.Computed) *int { return &c.Scored }, data)
	return out, nil
}

// count counts the tokens of data.
func (e *Engine) count(to func(*engine.Computed) *int, data []engine.Datum) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range data {
		*to(&e.computed) += len(data[i].Tokens)
	}
}

// countSampled counts what a worker says that it computed to sample.
func (e *Engine) countSampled(w *pipe.Process, f *pipe.Frame) error {
	var a struct{ Computed int }
	if err := json.Unmarshal(f.Head, &a); err != nil {
		return w.Fail("sample", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.computed.Sampled += a.Computed
	return nil
}
