package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/engine"
)

// Sample implements [engine.Engine].
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	names := map[engine.Policy]string{}
	for i := range reqs {
		if len(reqs[i].Never) > 0 || reqs[i].Form != "" || reqs[i].Shape != nil {
			return nil, unsupported("tokens that are never drawn, and schemas: the sampler has no masks")
		}
		p := reqs[i].Policy
		if _, has := names[p]; has {
			continue
		}
		name, err := e.nameOf(ctx, p)
		if err != nil {
			return nil, err
		}
		names[p] = name
	}
	out := make([]engine.Sample, len(reqs))
	err := engine.Together(ctx, len(reqs), e.settings.Together, func(ctx context.Context, i int) (err error) {
		if out[i], err = e.draw(ctx, names[reqs[i].Policy], &reqs[i]); err != nil {
			return fmt.Errorf("sample request %d: %w", i, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.remember(reqs, out)
	return out, nil
}

// Stream implements [engine.Streamer]: tokens come when their sample is whole.
func (e *Engine) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	out, err := e.Sample(ctx, reqs)
	for i := range out {
		for _, token := range out[i].Tokens {
			if err := each(i, token); err != nil {
				return nil, err
			}
		}
	}
	return out, err
}

// draw asks for one completion.
func (e *Engine) draw(ctx context.Context, name string, r *engine.SampleRequest) (engine.Sample, error) {
	room := e.Context() - len(r.Prompt)
	switch {
	case len(r.Prompt) == 0:
		return engine.Sample{}, errors.New("the prompt is empty")
	case room < 1:
		return engine.Sample{}, fmt.Errorf("%w: a prompt of %d tokens in a context of %d", engine.ErrTooLong, len(r.Prompt), e.Context())
	}
	c, err := e.settings.Server.Complete(ctx, CompletionRequest{
		Model: name, Prompt: r.Prompt, MaxTokens: min(r.MaxTokens, room), MinTokens: min(r.MinTokens, r.MaxTokens, room), IgnoreEnd: true, StopTokens: r.Stop,
		Temperature: r.Sampling.Temperature, TopP: r.Sampling.TopP, TopK: r.Sampling.TopK, Seed: int64(r.Seed >> 1),
	})
	if err != nil {
		return engine.Sample{}, err
	}
	return ended(r, c)
}

// ended finds why a completion ends: at its first stop token, at a text that its watcher knows, or at its length. What the server drew behind that
// is dropped.
func ended(r *engine.SampleRequest, c Completion) (engine.Sample, error) {
	for i, token := range c.Tokens {
		stop := engine.StopReason("")
		switch {
		case slices.Contains(r.Stop, token) && i >= r.MinTokens:
			stop = engine.StopEOS
		case i+1 < len(c.Tokens) || !c.Cut:
			if r.Watch != nil && r.Watch.Ends(token) {
				stop = engine.StopText
			}
		default:
			if r.Watch != nil {
				r.Watch.Ends(token) // it is told every token
			}
			stop = engine.StopLength
		}
		if stop != "" {
			return engine.Sample{Tokens: c.Tokens[:i+1], Logprobs: c.Logprobs[:i+1], Stop: stop}, nil
		}
	}
	return engine.Sample{}, fmt.Errorf("the sampler ended after %d tokens, at none that ends a text", len(c.Tokens))
}
