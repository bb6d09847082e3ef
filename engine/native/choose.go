package native

import (
	"fmt"
	"slices"

	"parley/engine"
)

// draw takes the next token from logits z, and notes it with its log-probability.
func (r *request) draw(c *computation, z []float32) error {
	masked := r.Stop
	if len(r.sample.Tokens) >= r.MinTokens {
		masked = nil
	}
	t, logprob := choose(c, z, r, masked)
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

// choose returns a token and its log-probability. The draw inverts the cumulative distribution over ascending ids at one
// number of the request's stream.
func choose(c *computation, z []float32, r *request, masked []int) (int, float32) {
	b := c.lender.borrow(2 * len(z))
	defer c.lender.giveBack(b)
	raw, p := b.floats[:len(z)], b.floats[len(z):]
	copy(raw, z)
	norm := distribute(c.k, z, r.sampling, -1)
	if r.Sampling.Temperature == 0 {
		t := largest(z, masked)
		if t < 0 {
			return -1, 0
		}
		return t, z[t] - norm
	}
	u := r.random.Float64()
	if t := invert(c, p, z, norm, masked, u); t >= 0 {
		return t, z[t] - norm
	}
	full := engine.Sampling{Temperature: r.sampling.Temperature}
	copy(z, raw)
	t := invert(c, p, z, distribute(c.k, z, full, -1), masked, u)
	if t < 0 {
		return -1, 0
	}
	copy(z, raw)
	norm = distribute(c.k, z, r.sampling, t)
	return t, z[t] - norm
}

// largest returns the first of the largest values of z that is not masked, -1 where there is none.
func largest(z []float32, masked []int) int {
	best := -1
	for i, v := range z {
		if (best < 0 || v > z[best]) && !slices.Contains(masked, i) {
			best = i
		}
	}
	return best
}

// invert returns the first token at which the cumulative probability passes u of the total, -1 where nothing is left to draw.
func invert(c *computation, p, z []float32, norm float32, masked []int, u float64) int {
	for i, v := range z {
		p[i] = v - norm
	}
	c.k.Exp(p, p)
	for _, t := range masked {
		if t >= 0 && t < len(p) {
			p[t] = 0
		}
	}
	total := 0.0
	for _, q := range p {
		total += float64(q)
	}
	last, sum := -1, 0.0
	for t, q := range p {
		if q > 0 {
			last = t
			if sum += float64(q); sum > u*total {
				return t
			}
		}
	}
	return last
}
