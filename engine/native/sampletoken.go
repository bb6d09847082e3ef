package native

import (
	"fmt"
	"math"
	"slices"

	"parley/engine"
	"parley/engine/native/kernel"
)

// drawToken takes the next token from logits z, and notes it with its log-probability. It overwrites z, unless that is to be kept.
func (r *request) drawToken(c *computation, z []float32, keep bool) error {
	m := r.maskOfNext()
	if keep && (warps(r.sampling, len(z)) || !m.empty() || r.Shape != nil) {
		own := c.scratch.get(len(z))
		defer c.scratch.put(own)
		z = own.floats[:copy(own.floats, z)]
	}
	t, logprob := sampleToken(c, z, r, m)
	if t < 0 || !isFinite(logprob) {
		return r.notFinite()
	}
	r.note(t, logprob)
	return nil
}

func (r *request) notFinite() error {
	return fmt.Errorf("token %d after a prompt of %d has no finite log-probability: %w", len(r.sample.Tokens), len(r.Prompt), engine.ErrNotFinite)
}

// note appends a token to the sample.
func (r *request) note(t int, logprob float32) {
	r.sample.Tokens, r.sample.Logprobs = append(r.sample.Tokens, t), append(r.sample.Logprobs, logprob)
	if slices.Contains(r.Stop, t) {
		r.sample.Stop = engine.StopEOS
	}
}

// watch shows the token just drawn to the request's watcher.
func (r *request) watch() {
	n := len(r.sample.Tokens) - 1
	last := r.sample.Tokens[n]
	if w, ok := r.Watch.(engine.Weigher); ok {
		w.Weigh(r.sample.Logprobs[n])
	}
	if r.Watch != nil && r.Watch.Ends(last) && r.sample.Stop == engine.StopLength {
		r.sample.Stop = engine.StopText
	}
}

// maskOfNext is what the next token is not drawn from.
func (r *request) maskOfNext() mask {
	m := maskAt(r.mask, len(r.sample.Tokens))
	m.form = r.place
	return m
}

// sampleToken returns a token and its log-probability. The draw inverts the cumulative distribution over ascending ids at one
// number of the request's stream. z is overwritten.
func sampleToken(c *computation, z []float32, r *request, m mask) (int, float32) {
	d := newCategorical(c, z)
	defer c.scratch.put(d.scratch)
	r.warp(c.k, z, m)
	norm := d.logNormalizer()
	if !isFinite(norm) {
		return -1, 0
	}
	var t int
	if r.Sampling.Temperature == 0 {
		t = d.argmax()
	} else {
		t = d.invertCDF(r.random.Float64())
	}
	if t < 0 {
		return -1, 0
	}
	return t, z[t] - norm
}

// warp turns logits z into the unnormalised log-probabilities of the next token. What a form takes is noted, but for requests that shape logits.
func (r *request) warp(k *kernel.Kernels, z []float32, m mask) {
	form := m.form
	if form == nil || r.Shape != nil {
		m.apply(z, 0, -1)
		if r.Shape != nil {
			r.Shape(r.sample.Tokens, z)
		}
		warpLogits(k, z, r.sampling, -1)
		return
	}
	m.form = nil
	m.apply(z, 0, -1)
	applyTemperature(k, z, r.sampling.Temperature)
	all := k.LogSumExp(z)
	form.apply(z, 0, -1)
	if r.sample.Forced == nil {
		r.sample.Forced = &engine.Forced{}
	}
	if form.decides() {
		r.sample.Forced.Decided++
	}
	r.sample.Forced.Taken -= math.Expm1(min(0, float64(k.LogSumExp(z)-all)))
	truncate(k, z, r.sampling, -1)
}

// A mask is what one token is not drawn from: an [engine.Mask] at its place.
type mask struct {
	ranges [][2]int
	ids    []int
	form   *formPlace // nil: none
}

// maskAt is the mask of the n-th new token, from 0.
func maskAt(m engine.Mask, n int) mask {
	if n < m.Least {
		return mask{ranges: m.Never, ids: m.Early}
	}
	return mask{ranges: m.Never}
}

func (m mask) empty() bool { return len(m.ranges) == 0 && len(m.ids) == 0 && m.form == nil }

// apply takes the masked tokens out of the logits z of tokens first, first+1, ...: they become -Inf. The token keep stays in; -1: none.
func (m mask) apply(z []float32, first, keep int) {
	if m.form != nil {
		m.form.apply(z, first, keep)
	}
	for _, r := range m.ranges {
		for t := max(r[0], first); t < min(r[1], first+len(z)); t++ {
			if t != keep {
				z[t-first] = negativeInfinity
			}
		}
	}
	for _, t := range m.ids {
		if t >= first && t < first+len(z) && t != keep {
			z[t-first] = negativeInfinity
		}
	}
}
