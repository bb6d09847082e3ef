package tinker

import (
	"context"

	"parley/engine"
	"parley/engine/tinker/wire"
)

// alternatives adds the most probable tokens at the places of prompts and completions. The engine is the caller's alone.
func (s *Server) alternatives(ctx context.Context, policy engine.Policy, d *draw, out *wire.Sample) error {
	prompt := d.Sample.Prompt
	if d.Tops > 0 {
		out.Tops = &wire.Tops{K: d.Tops}
		out.Tops.Add(nil, nil) // nothing stands before the first token
		if err := s.tops(ctx, policy, prompt, 1, out.Tops); err != nil {
			return err
		}
	}
	if d.Sub == 0 {
		return nil
	}
	for i := range out.Sequences {
		q := &out.Sequences[i]
		q.Tops = &wire.Tops{K: d.Sub}
		if err := s.tops(ctx, policy, append(prompt[:len(prompt):len(prompt)], q.Tokens...), len(prompt), q.Tops); err != nil {
			return err
		}
	}
	return nil
}

// tops adds the most probable tokens in the places of tokens from, from+1, ... of a text.
func (s *Server) tops(ctx context.Context, policy engine.Policy, tokens []int, from int, into *wire.Tops) error {
	if from >= len(tokens) {
		return nil
	}
	prefix := engine.Prefix{Policy: policy, Tokens: tokens[:len(tokens)-1], From: from, Sampling: engine.Sampling{Temperature: 1}}
	return s.engine.Distributions(ctx, []engine.Prefix{prefix}, into.K, func(_, _ int, p engine.Distribution) error {
		into.Add(p.Tokens, p.Logprobs)
		return nil
	})
}
