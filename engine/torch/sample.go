package torch

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
	"parley/engine/torch/pipe"
	"parley/internal/seed"
)

// A completion is a sample in the making.
type completion struct {
	*engine.SampleRequest
	index   int // of the request in the call
	most    int // new tokens: MaxTokens, or what the context has room for
	ended   bool
	stopped bool // the worker was told to end it: what it draws meanwhile is dropped
	sample  engine.Sample
}

// Sample implements [engine.Engine]. A seed's text is that of the embedded engine, up to the rounding of both.
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	return e.Stream(ctx, reqs, nil)
}

// Stream implements [engine.Streamer].
func (e *Engine) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	unlock, err := e.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	defer unlock()
	all := make([]completion, len(reqs))
	for i := range reqs {
		r := &reqs[i]
		if err := e.checkRequest(r); err != nil {
			return nil, fmt.Errorf("sample: request %d: %w", i, err)
		}
		all[i] = completion{
			SampleRequest: r, index: i, most: min(r.MaxTokens, e.info.Window-len(r.Prompt)),
			sample: engine.Sample{Tokens: []int{}, Logprobs: []float32{}, Stop: engine.StopLength},
		}
		all[i].ended = all[i].most <= 0
	}
	if err := e.complete(ctx, all, each); err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	samples := make([]engine.Sample, len(all))
	for i := range all {
		samples[i] = all[i].sample
	}
	e.remember(reqs, samples)
	return samples, nil
}

// A burst of tokens waits for the caller's goroutine, which alone calls watchers and listeners.
type burst struct {
	part []completion
	f    *pipe.Frame
	send func(map[string]any, ...pipe.Tensor) error
	done chan error
}

// complete shares the completions out among the workers, neighbours to one, and takes their tokens.
func (e *Engine) complete(ctx context.Context, all []completion, each func(i, token int) error) error {
	bursts, end := make(chan burst), make(chan error, 1)
	n := len(e.workers)
	go func() {
		end <- engine.Together(ctx, n, n, func(ctx context.Context, i int) error {
			return e.completePart(ctx, e.workers[i], all[i*len(all)/n:(i+1)*len(all)/n], each != nil, bursts)
		})
	}()
	for {
		select {
		case b := <-bursts:
			b.done <- e.take(b, each)
		case err := <-end:
			return err
		}
	}
}

// completePart lets a worker complete some requests.
func (e *Engine) completePart(ctx context.Context, w *pipe.Process, part []completion, heard bool, bursts chan<- burst) error {
	if !slices.ContainsFunc(part, func(c completion) bool { return !c.ended }) {
		return nil
	}
	var settings palette
	var tokens []int
	list := make([]map[string]any, len(part))
	for i := range part {
		c := &part[i]
		tokens = append(tokens, c.Prompt...)
		high, low := seed.State(c.Seed)
		stop := c.Stop
		if stop == nil {
			stop = []int{}
		}
		list[i] = map[string]any{
			"policy": c.Policy, "tokens": len(c.Prompt), "most": c.most, "stop": stop, "watched": heard || c.Watch != nil,
			"seed": []uint64{high, low}, "setting": settings.number(c.Sampling, c.Mask()),
		}
	}
	f, err := w.Call(ctx, pipe.Request{
		Op: "sample", Tensors: []pipe.Tensor{pipe.Ints("tokens", tokens)}, Fields: map[string]any{"requests": list, "settings": settings.list},
		During: func(a pipe.Answer, f *pipe.Frame, send func(map[string]any, ...pipe.Tensor) error) error {
			if !a.Burst {
				return pipe.Lie("it asks for more of a request that is whole")
			}
			b := burst{part, f, send, make(chan error, 1)}
			bursts <- b
			return <-b.done
		},
	})
	if err != nil {
		return err
	}
	for i := range part {
		if !part[i].ended {
			return w.Fail("sample", fmt.Errorf("it stops after %d tokens of request %d, at none that ends it", len(part[i].sample.Tokens), part[i].index))
		}
	}
	return e.countSampled(w, f)
}

// take reads a burst, and tells the worker what ended.
func (e *Engine) take(b burst, each func(i, token int) error) error {
	rows, err := b.f.Ints("rows", -1)
	if err != nil {
		return err
	}
	tokens, err := b.f.Ints("drawn", len(rows))
	if err != nil {
		return err
	}
	logprobs, err := b.f.Floats("logprobs", len(rows))
	if err != nil {
		return err
	}
	var stop []int
	for i, row := range rows {
		if row < 0 || row >= len(b.part) {
			return pipe.Lie("a token for request %d of %d", row, len(b.part))
		}
		c := &b.part[row]
		if c.stopped {
			continue
		}
		if err := e.note(c, tokens[i], logprobs[i]); err != nil {
			return err
		}
		if each != nil {
			if err := each(c.index, tokens[i]); err != nil {
				return err
			}
		}
		if c.watch(); c.stopped {
			stop = append(stop, row)
		}
	}
	if stop != nil {
		return b.send(map[string]any{"stop": stop})
	}
	return nil
}

// note adds a token to a sample.
func (e *Engine) note(c *completion, token int, logprob float32) error {
	const rounding = 1e-2
	switch {
	case c.ended:
		return pipe.Lie("token %d behind the end of request %d", token, c.index)
	case token < 0 || token >= e.info.Vocab:
		return pipe.Lie("token %d is not in the vocabulary of %d", token, e.info.Vocab)
	case logprob > rounding:
		return pipe.Lie("token %d has the log-probability %g", token, logprob)
	}
	if err := finite(fmt.Sprintf("the log-probability of token %d of request %d", len(c.sample.Tokens), c.index), []float32{logprob}); err != nil {
		return err
	}
	c.sample.Tokens, c.sample.Logprobs = append(c.sample.Tokens, token), append(c.sample.Logprobs, logprob)
	return nil
}

// watch ends a completion where its last token does.
func (c *completion) watch() {
	n := len(c.sample.Tokens) - 1
	token := c.sample.Tokens[n]
	if w, ok := c.Watch.(engine.Weigher); ok {
		w.Weigh(c.sample.Logprobs[n])
	}
	ends := c.Watch != nil && c.Watch.Ends(token)
	switch {
	case slices.Contains(c.Stop, token):
		c.ended, c.sample.Stop = true, engine.StopEOS
	case ends:
		c.ended, c.sample.Stop = true, engine.StopText
		c.stopped = n+1 < c.most
	case n+1 == c.most:
		c.ended = true
	}
}
