package torch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/engine"
	"parley/engine/torch/pipe"
)

// uncut refuses distributions that leave tokens without probability.
func (e *Engine) uncut(s engine.Sampling) error {
	if s.Temperature > 0 && (s.TopK > 0 && s.TopK < e.info.Vocab || s.TopP > 0 && s.TopP < 1) {
		return errors.New("top_k and top_p leave tokens without probability")
	}
	return nil
}

// Divergence implements [engine.Diverger].
func (e *Engine) Divergence(ctx context.Context, data []engine.Datum) ([][]float32, error) {
	whole := slices.Clone(data)
	for i := range whole {
		if err := e.uncut(whole[i].Sampling); err != nil {
			return nil, fmt.Errorf("divergence: datum %d: %w", i, err)
		}
		whole[i].Mask, whole[i].ValuesOnly = engine.Mask{}, false
	}
	out, err := e.score(ctx, "divergence", whole, nil)
	if err != nil {
		return nil, fmt.Errorf("divergence: %w", err)
	}
	all := make([][]float32, len(out))
	for i := range out {
		all[i] = out[i].Logprobs
	}
	return all, nil
}

// Distributions implements [engine.Distributor]. The first worker computes them all: they come in order.
func (e *Engine) Distributions(ctx context.Context, prefixes []engine.Prefix, k int, each func(i, length int, d engine.Distribution) error) error {
	unlock, err := e.lock(ctx)
	if err != nil {
		return fmt.Errorf("distributions: %w", err)
	}
	defer unlock()
	s := share{}
	for i, p := range prefixes {
		// The token behind the last place is there to be asked for; nothing depends on it.
		d := engine.Datum{Policy: p.Policy, Tokens: append(slices.Clone(p.Tokens), 0), ScoreFrom: p.From, Sampling: p.Sampling}
		_, err := e.checkDatum(&d)
		if len(p.Mask.Never)+len(p.Mask.Early) > 0 || p.Mask.Form != "" {
			err = errors.Join(err, fmt.Errorf("%w: the worker masks no distributions", errors.ErrUnsupported))
		}
		if err == nil && p.From > len(p.Tokens) {
			err = fmt.Errorf("the first place is after %d tokens; it must lie between 1 and the %d tokens", p.From, len(p.Tokens))
		}
		if err = errors.Join(err, e.uncut(p.Sampling)); err != nil {
			return fmt.Errorf("distributions: prefix %d: %w", i, err)
		}
		s.of, s.data, s.values = append(s.of, i), append(s.data, d), append(s.values, false)
	}
	q := s.request("distributions")
	q.Fields["k"] = k
	places := placesOf(prefixes)
	q.During = func(a pipe.Answer, f *pipe.Frame, _ func(map[string]any, ...pipe.Tensor) error) (err error) {
		if !a.Burst {
			return pipe.Lie("it asks for more of a request that is whole")
		}
		places, err = e.tell(f, places, k, each)
		return err
	}
	if _, err := e.workers[0].Call(ctx, q); err != nil {
		return fmt.Errorf("distributions: %w", err)
	}
	if len(places) > 0 {
		return e.workers[0].Fail(q.Op, fmt.Errorf("%d distributions are missing", len(places)))
	}
	return nil
}

// A place is after so many tokens of a prefix.
type place struct{ prefix, length int }

func placesOf(prefixes []engine.Prefix) (all []place) {
	for i, p := range prefixes {
		for n := p.From; n <= len(p.Tokens); n++ {
			all = append(all, place{i, n})
		}
	}
	return all
}

// tell hands out the distributions of a frame, and returns the places that are left.
func (e *Engine) tell(f *pipe.Frame, places []place, k int, each func(i, length int, d engine.Distribution) error) ([]place, error) {
	wide := e.info.Vocab
	if k > 0 {
		wide = min(k, wide)
	}
	n := f.Len("logprobs") / wide
	if n == 0 || n > len(places) {
		return nil, pipe.Lie("%d distributions where %d are left", n, len(places))
	}
	logprobs, err := f.Floats("logprobs", n*wide)
	if err != nil {
		return nil, err
	}
	var tokens []int
	if k > 0 {
		if tokens, err = f.Ints("tokens", n*wide); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(tokens, func(t int) bool { return t < 0 || t >= e.info.Vocab }); i >= 0 {
			return nil, pipe.Lie("token %d is not in the vocabulary of %d", tokens[i], e.info.Vocab)
		}
	}
	for i, at := range places[:n] {
		d := engine.Distribution{Logprobs: logprobs[i*wide:][:wide:wide]}
		if k > 0 {
			d.Tokens = tokens[i*wide:][:wide:wide]
		}
		if err := finite(fmt.Sprintf("the distribution after %d tokens of prefix %d", at.length, at.prefix), d.Logprobs); err != nil {
			return nil, err
		}
		if err := each(at.prefix, at.length, d); err != nil {
			return nil, err
		}
	}
	return places[n:], nil
}
