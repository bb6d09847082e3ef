package native

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
)

// SampleSteered implements [engine.Steerer].
func (e *Engine) SampleSteered(ctx context.Context, reqs []engine.SampleRequest, choose func(i int, logprobs []float32) (int, error)) ([]engine.Sample, error) {
	return e.sampleWith(ctx, reqs, func(i int, r *request) {
		r.choose = func(logprobs []float32) (int, error) { return choose(i, logprobs) }
	})
}

// chooseToken lets the caller take the next token from logits z, and notes it with its log-probability. It overwrites z, unless that is to be
// kept.
func (r *request) chooseToken(c *computation, z []float32, keep bool) error {
	if keep {
		z = slices.Clone(z)
	}
	m := r.maskOfNext()
	m.apply(z, 0, -1)
	norm := warpAndNormalizer(c.k, z, r.sampling, -1)
	if !isFinite(norm) {
		return r.notFinite()
	}
	for t := range z {
		z[t] -= norm
	}
	t, err := r.choose(z)
	if err != nil {
		return err
	}
	if t < 0 || t >= len(z) || !isFinite(z[t]) {
		return fmt.Errorf("the token %d that was chosen has no probability", t)
	}
	r.note(t, z[t])
	return nil
}
