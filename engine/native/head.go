package native

import (
	"parley/engine"
)

// An ask is one log-probability or one value that a pass is asked for.
type ask struct {
	row      int // whose hidden state predicts
	token    int // whose log-probability; for a value: unused
	sampling engine.Sampling
	to       *float32 // where the result goes
	datum    int
	index    int // within the datum's output
	policy   *policy
}

const (
	headFloats = 1 << 21 // logits at a time: the head goes through its rows in blocks of about this size
	keptFloats = 1 << 24 // most logits of a pass that are kept for the backward pass instead of computed again
)

// A head is the output side of a pass: log-probabilities of asked tokens, values of asked states.
type head struct {
	*computation
	asks, values []ask
	logits       []float32 // [asks, vocab] as distribute left them, where kept; else nil
	norms        []float32 // [asks] the log of the normaliser
}

// block is how many asks the head takes at a time.
func (h *head) block() int { return max(16, headFloats/h.config.Vocab) }

// forward answers all asks. Logits are computed for rows that are asked only.
func (h *head) forward() {
	v, d := h.config.Vocab, h.config.Hidden
	h.norms = h.arena.floats(len(h.asks))
	if h.keep && len(h.asks)*v <= keptFloats {
		h.logits = h.arena.floats(len(h.asks) * v)
	}
	before := h.arena.mark
	for lo := 0; lo < len(h.asks); lo += h.block() {
		asks := h.asks[lo:min(len(h.asks), lo+h.block())]
		z := h.distributions(lo, len(asks), h.gather(asks))
		for i, a := range asks {
			*a.to = z[i*v+a.token] - h.norms[lo+i]
		}
		h.arena.release(before)
	}
	for _, a := range h.values {
		*a.to = h.k.Dot(a.policy.value.w.w, row(h.hidden, a.row, d)) + a.policy.value.b.w[0]
	}
}

// gather copies the hidden states that asks need into one block.
func (h *head) gather(asks []ask) []float32 {
	d := h.config.Hidden
	x := h.arena.floats(len(asks) * d)
	for i, a := range asks {
		copy(row(x, i, d), row(h.hidden, a.row, d))
	}
	return x
}

// distributions computes the distributions of asks lo, ..., lo+n-1, whose hidden states are x, and their norms.
func (h *head) distributions(lo, n int, x []float32) []float32 {
	v := h.config.Vocab
	var z []float32
	if h.logits != nil {
		z = h.logits[lo*v : (lo+n)*v]
	} else {
		z = h.arena.floats(n * v)
	}
	h.k.Mul(z, x, n, h.net.head.matrix, false)
	h.k.Run(n, func(i int) {
		a := &h.asks[lo+i]
		h.norms[lo+i] = distribute(h.k, row(z, i, v), a.sampling, a.token)
	})
	return z
}

// backward takes the gradient of each ask and returns that of the hidden states [rows, hidden]. It accumulates the gradients
// of the head's and the value heads' parameters.
func (h *head) backward(asks, values []float32) []float32 {
	v, d := h.config.Vocab, h.config.Hidden
	dh := h.arena.zeros(h.pass.rows() * d)
	before := h.arena.mark
	for lo := 0; lo < len(h.asks); lo += h.block() {
		n := min(len(h.asks), lo+h.block()) - lo
		x := h.gather(h.asks[lo : lo+n])
		z := h.logitGradients(lo, n, x, asks[lo:lo+n])
		if g := h.net.head.weight.g; g != nil {
			h.k.MulGrad(g, z, x, n, v, d)
		}
		h.k.MulT(x, z, n, h.net.head.matrix, false)
		for i := range n {
			h.k.Add(row(dh, h.asks[lo+i].row, d), row(x, i, d))
		}
		h.arena.release(before)
	}
	for i, a := range h.values {
		w, b, g := a.policy.value.w, a.policy.value.b, values[i]
		h.k.AddScaled(w.g, g, row(h.hidden, a.row, d))
		b.g[0] += g
		h.k.AddScaled(row(dh, a.row, d), g, w.w)
	}
	return dh
}

// logitGradients returns dL/dlogits of asks lo, ..., lo+n-1 given dL/dlogprob g:
// dlogprob/dz = (onehot - p)/T over the tokens that the cuts kept, 0 elsewhere.
func (h *head) logitGradients(lo, n int, x, g []float32) []float32 {
	v := h.config.Vocab
	var z []float32
	if h.logits != nil {
		z = h.logits[lo*v : (lo+n)*v]
	} else {
		z = h.distributions(lo, n, x)
	}
	h.k.Run(n, func(i int) {
		a, p := &h.asks[lo+i], row(z, i, v)
		for j := range p {
			p[j] -= h.norms[lo+i]
		}
		h.k.Exp(p, p)
		scale := g[i] * float32(1/a.sampling.Temperature)
		h.k.Scale(p, -scale)
		p[a.token] += scale
	})
	return z
}
