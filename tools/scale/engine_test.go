package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/engine"
	"parley/internal/seed"
)

// An Engine is a cluster as an engine: answers take the time that the cluster says, by the clock of the program. Their tokens are drawn evenly from a
// vocabulary of so many. It has policies of every name and trains none: what trains is asked of the engine in it, and there may be none.
type Engine struct {
	engine.Engine
	cluster    Cluster
	vocabulary int
	slots      chan struct{}

	mu   sync.Mutex
	busy float64
}

// NewEngine returns a cluster as an engine.
func NewEngine(c Cluster, vocabulary int) *Engine {
	return &Engine{cluster: c, vocabulary: vocabulary, slots: make(chan struct{}, c.Slots())}
}

// Slots implements [engine.Server].
func (e *Engine) Slots() int { return e.cluster.Slots() }

// Busy is how many seconds of all slots went into answers.
func (e *Engine) Busy() float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.busy
}

// Sample implements [engine.Engine].
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	out, errs := make([]engine.Sample, len(reqs)), make([]error, len(reqs))
	var wait sync.WaitGroup
	for i, r := range reqs {
		wait.Go(func() { out[i], errs[i] = e.sample(ctx, r) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sample waits for a slot, and then for the answer.
func (e *Engine) sample(ctx context.Context, r engine.SampleRequest) (engine.Sample, error) {
	if r.Form != "" || r.Shape != nil {
		return engine.Sample{}, fmt.Errorf("%w: tokens are drawn evenly, not as a schema asks", errors.ErrUnsupported)
	}
	a := e.cluster.Answer(r.Seed)
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return engine.Sample{}, ctx.Err()
	}
	over := time.NewTimer(duration(a.Takes))
	defer over.Stop()
	select {
	case <-over.C:
	case <-ctx.Done():
		return engine.Sample{}, ctx.Err()
	}
	e.mu.Lock()
	e.busy += a.Useful
	e.mu.Unlock()
	return e.answer(r, a), nil
}

// answer is what is said.
func (e *Engine) answer(r engine.SampleRequest, a Answer) engine.Sample {
	s := engine.Sample{Stop: engine.StopEOS}
	if a.Tokens > r.MaxTokens {
		a.Tokens, s.Stop = r.MaxTokens, engine.StopLength
	}
	rng := seed.Stream(seed.Derive(r.Seed, "tokens"))
	for range a.Tokens {
		s.Tokens = append(s.Tokens, rng.IntN(e.vocabulary))
		s.Logprobs = append(s.Logprobs, -1)
	}
	return s
}
