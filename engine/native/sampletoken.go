package native

import (
	"fmt"
	"slices"

	"parley/engine"
)

// drawToken takes the next token from logits z, and notes it with its log-probability. It overwrites z, unless that is to be kept.
func (r *request) drawToken(c *computation, z []float32, keep bool) error {
	if keep && warps(r.sampling, len(z)) {
		own := c.scratch.get(len(z))
		defer c.scratch.put(own)
		z = own.floats[:copy(own.floats, z)]
	}
	masked := r.Stop
	if len(r.sample.Tokens) >= r.MinTokens {
		masked = nil
	}
	t, logprob := sampleToken(c, z, r, masked)
	if t < 0 || !isFinite(logprob) {
		return fmt.Errorf("token %d after a prompt of %d has no finite log-probability: %w", len(r.sample.Tokens), len(r.Prompt),
			engine.ErrNotFinite)
	}
	r.sample.Tokens, r.sample.Logprobs = append(r.sample.Tokens, t), append(r.sample.Logprobs, logprob)
	if slices.Contains(r.Stop, t) {
		r.sample.Stop = engine.StopEOS
	}
	return nil
}

// sampleToken returns a token and its log-probability. The draw inverts the cumulative distribution over ascending ids at one
// number of the request's stream. z is overwritten.
func sampleToken(c *computation, z []float32, r *request, masked []int) (int, float32) {
	d := newCategorical(c, z)
	defer c.scratch.put(d.scratch)
	if len(masked) > 0 && truncates(r.sampling, len(z)) {
		copy(d.saved(), z)
	}
	warpLogits(c.k, z, r.sampling, -1)
	norm := d.logNormalizer()
	if !isFinite(norm) {
		return -1, 0
	}
	d.mask(masked)
	if r.Sampling.Temperature == 0 {
		t := d.argmax()
		if t < 0 {
			return -1, 0
		}
		return t, z[t] - norm
	}
	u := r.random.Float64()
	t := d.invertCDF(u)
	if t < 0 && len(masked) > 0 && truncates(r.sampling, len(z)) {
		copy(z, d.saved())
		applyTemperature(c.k, z, r.sampling.Temperature)
		d.logNormalizer()
		d.mask(masked)
		if t = d.invertCDF(u); t >= 0 {
			copy(z, d.saved())
			norm = warpAndNormalizer(c.k, z, r.sampling, t)
		}
	}
	if t < 0 {
		return -1, 0
	}
	return t, z[t] - norm
}
