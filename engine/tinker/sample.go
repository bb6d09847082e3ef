package tinker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"

	"parley/engine"
	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
	"parley/internal/seed"
	"parley/internal/service/web"
)

const (
	usualSlots = 128 // completions that are asked for at a time, where nothing is said
	mostDraws  = 4   // tries of one completion
)

// A sampler is a session to sample from weights as they are; empty until it is needed.
type sampler struct {
	mu sync.Mutex
	id string
}

// drop forgets the session, since the weights have changed.
func (s *sampler) drop() {
	s.mu.Lock()
	s.id = ""
	s.mu.Unlock()
}

// Sample implements [engine.Engine]. Temperatures are 1, or 0 for the most probable tokens.
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sessions := map[engine.Policy]string{}
	for i := range reqs {
		if err := e.checkRequest(&reqs[i]); err != nil {
			return nil, fmt.Errorf("request %d: %w", i, err)
		}
	}
	for i := range reqs {
		name := reqs[i].Policy
		if _, has := sessions[name]; has {
			continue
		}
		id, err := e.samplerOf(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("sample from policy %q: %w", name, err)
		}
		sessions[name] = id
	}
	out := make([]engine.Sample, len(reqs))
	err := engine.Together(ctx, len(reqs), cap(e.slots), func(ctx context.Context, i int) (err error) {
		select {
		case e.slots <- struct{}{}:
			defer func() { <-e.slots }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if out[i], err = e.draw(ctx, sessions[reqs[i].Policy], &reqs[i]); err != nil {
			return fmt.Errorf("request %d: %w", i, err)
		}
		return nil
	})
	return out, err
}

func (e *Engine) checkRequest(r *engine.SampleRequest) error {
	if err := e.checkSampling(r.Sampling); err != nil {
		return err
	}
	switch {
	case len(r.Prompt) == 0:
		return errors.New("the prompt is empty")
	case r.MinTokens > 1 || r.MinTokens == 1 && len(r.Stop) > 0:
		return unsupported("at least %d tokens: the protocol has no such bound", r.MinTokens)
	case len(r.Never) > 0 || r.Form != "" || r.Shape != nil:
		return unsupported("tokens that are never drawn, and schemas: the protocol has no masks")
	}
	if r.Policy != engine.Base {
		if _, err := e.policy(r.Policy); err != nil {
			return err
		}
	}
	return e.checkTokens(r.Prompt)
}

// samplerOf is a session to sample from a policy, or from the base, as it is now, or as it was when it was pinned.
func (e *Engine) samplerOf(ctx context.Context, name engine.Policy) (string, error) {
	s, make := &e.bases, e.baseSampler
	if name != engine.Base {
		p, err := e.policy(name)
		if err != nil {
			return "", err
		}
		if id := p.pinned.Load(); id != nil {
			return *id, e.session.Check()
		}
		s, make = &p.now, func(ctx context.Context) (string, error) { return e.policySampler(ctx, p) }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != "" {
		return s.id, e.session.Check()
	}
	id, err := make(ctx)
	s.id = id
	return id, err
}

// baseSampler makes a session to sample from the base.
func (e *Engine) baseSampler(ctx context.Context) (string, error) {
	return e.createSampler(ctx, wire.CreateSampling{Base: e.c.Server.Model})
}

func (e *Engine) createSampler(ctx context.Context, body wire.CreateSampling) (string, error) {
	if err := e.session.Check(); err != nil {
		return "", err
	}
	body.Session, body.Seq, body.Type = e.session.ID, int(e.session.Samplers.Add(1))-1, "create_sampling_session"
	reply, err := link.Ask[wire.Reply](ctx, e.c, "create_sampling_session", body)
	if err == nil && reply.Sampling == "" {
		err = errors.New("the reply names no sampling session")
	}
	return reply.Sampling, err
}

// policySampler makes a session to sample from a policy: the server keeps a copy of its weights for it.
func (e *Engine) policySampler(ctx context.Context, p *policy) (string, error) {
	reply, err := e.operate(ctx, p, func(seq int) (link.Request, error) {
		return link.Post("save_weights_for_sampler", wire.SaveToSample{
			Model: p.id, Sampling: int(e.session.Samplers.Add(1)) - 1, Seq: seq, Type: "save_weights_for_sampler",
		})
	})
	switch {
	case err != nil:
		return "", err
	case reply.Sampling != "":
		return reply.Sampling, nil
	case reply.Path != "":
		return e.createSampler(ctx, wire.CreateSampling{Path: reply.Path})
	}
	return "", errors.New("the server saved weights to sample from, and says neither where nor for which session")
}

// draw asks for one completion, and again where the server failed at it: one bad request may fail all that an engine computes with it.
func (e *Engine) draw(ctx context.Context, session string, r *engine.SampleRequest) (engine.Sample, error) {
	most := min(r.MaxTokens, e.shape.Context-len(r.Prompt))
	if most <= 0 {
		return engine.Sample{Stop: engine.StopLength}, nil
	}
	for try := 1; ; try++ {
		q, err := e.drawOnce(ctx, session, r, most)
		if err == nil {
			return e.completion(r, q, most)
		}
		var failed *link.Failure
		var status *web.StatusError
		again := errors.As(err, &failed) && (failed.Passes() || strings.Contains(failed.Words, "out of bounds")) || errors.As(err, &status) && status.Code == http.StatusGone
		if !again || try == mostDraws || ctx.Err() != nil {
			return engine.Sample{}, err
		}
		if err := link.Sleep(ctx, web.Pause(e.c.Pause, try)); err != nil {
			return engine.Sample{}, err
		}
	}
}

func (e *Engine) drawOnce(ctx context.Context, session string, r *engine.SampleRequest, most int) (q wire.Sequence, err error) {
	stop := r.Stop
	if stop == nil {
		stop = []int{}
	}
	reply, err := link.Ask[wire.Reply](ctx, e.c, "asample", wire.Draw{
		Count: 1, Prompt: wire.TextOf(r.Prompt), Session: session, Seq: int(e.session.Draws.Add(1)) - 1, Type: "sample",
		Params: wire.SamplingParams{MaxTokens: most, Seed: bits31(seed.Derive(r.Seed, "sample")), Stop: stop, Temperature: r.Sampling.Temperature, TopK: -1, TopP: 1},
	})
	if err != nil {
		return q, err
	}
	a, err := e.c.Await(ctx, reply.Request, true, e.trySampling)
	if err != nil {
		return q, err
	}
	read := wire.DecodeSampleJSON
	if strings.Contains(a.Kind, link.Proto) {
		read = wire.DecodeSample
	}
	s, err := read(a.Body)
	if err == nil && len(s.Sequences) != 1 {
		err = fmt.Errorf("%d completions where one was asked for", len(s.Sequences))
	}
	if err != nil {
		return q, fmt.Errorf("the server's sample: %w", err)
	}
	return s.Sequences[0], nil
}

// trySampling asks for a token of the base, which has nothing to do with what is waited for.
func (e *Engine) trySampling(ctx context.Context) error {
	session, err := e.samplerOf(ctx, engine.Base)
	if err != nil {
		return err
	}
	reply, err := link.Ask[wire.Reply](ctx, e.c, "asample", wire.Draw{
		Count: 1, Prompt: wire.TextOf([]int{0}), Session: session, Seq: int(e.session.Draws.Add(1)) - 1, Type: "sample",
		Params: wire.SamplingParams{MaxTokens: 1, Stop: []int{}, Temperature: 1, TopK: -1, TopP: 1},
	})
	if err == nil {
		_, err = e.c.Await(ctx, reply.Request, true, nil)
	}
	if _, ok := errors.AsType[*link.Failure](err); ok {
		return nil // it works on requests, and fails
	}
	return err
}

// completion checks what a server says it drew, and ends it where the request does.
func (e *Engine) completion(r *engine.SampleRequest, q wire.Sequence, most int) (out engine.Sample, err error) {
	switch {
	case len(q.Tokens) == 0 || len(q.Tokens) > most:
		err = fmt.Errorf("%d tokens; 1 to %d were asked for", len(q.Tokens), most)
	case len(q.Logprobs) != len(q.Tokens):
		err = fmt.Errorf("%d log-probabilities for %d tokens", len(q.Logprobs), len(q.Tokens))
	default:
		err = errors.Join(e.checkTokens(q.Tokens), finite(q.Logprobs), probable(q.Logprobs))
	}
	if err != nil {
		return out, fmt.Errorf("the server's sample: %w", err)
	}
	out = engine.Sample{Tokens: q.Tokens, Logprobs: q.Logprobs, Stop: engine.StopLength}
	for i, t := range q.Tokens {
		watched := r.Watch != nil && r.Watch.Ends(t)
		switch {
		case slices.Contains(r.Stop, t):
			out.Stop = engine.StopEOS
		case watched:
			out.Stop = engine.StopText
		default:
			continue
		}
		out.Tokens, out.Logprobs = q.Tokens[:i+1], q.Logprobs[:i+1]
		return out, nil
	}
	if len(q.Tokens) < most {
		return out, fmt.Errorf("the server's sample ends after %d of %d tokens, at none that it was told to stop at", len(q.Tokens), most)
	}
	return out, nil
}

// probable refuses log-probabilities that are none.
func probable(x []float32) error {
	const rounding = 1e-3
	if i := slices.IndexFunc(x, func(v float32) bool { return v > rounding }); i >= 0 {
		return fmt.Errorf("the log-probability of token %d is %g", i, math.Abs(float64(x[i])))
	}
	return nil
}
