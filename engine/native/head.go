package native

import "parley/engine"

// A target is one log-probability or one value that a pass is to compute.
type target struct {
	row      int         // whose hidden state predicts
	token    int         // whose log-probability; for a value: unused
	soft     *softTarget // of a distribution in the place of token; nil: none
	sampling engine.Sampling
	mask     mask
	to       *float32 // where the result goes
	datum    int
	index    int // within the datum's output
	policy   *policy
	slope    float32 // of its own logit, see logitSlopes; set where hidden gradients are computed
}

const (
	headFloats     = 1 << 21 // logits at a time: the head goes through its rows in blocks of about this size
	maxSavedLogits = 1 << 24 // most logits of a pass that are kept for the backward pass instead of computed again
)

// A head is the output side of a pass: log-probabilities of target tokens, values of states.
//
// Targets whose distribution is truncated (top-k, top-p) need all their logits at once: they go through in blocks of rows. So do the targets of a small
// pass, whose logits are kept for the backward pass. The others never have more than some columns of their logits in memory, see
// headcolumns.go; the numbers are the same.
type head struct {
	*computation
	targets, values []target
	maxSavedLogits  int       // logits
	logits          []float32 // [targets, vocab] as warpAndNormalizer left them, where kept; else nil
	hiddenGrads     []float32 // [targets, hidden] of targets in columns, see headgrad.go; nil: none
	norms           []float32 // [targets] the log of the normaliser
}

// A targetRange is targets lo, ..., hi-1, which go through the head together.
type targetRange struct {
	lo, hi  int
	columns bool // in blocks of columns
}

// targetRanges cuts the targets, in order.
func (h *head) targetRanges() []targetRange {
	var all []targetRange
	for i := range h.targets {
		columns := (h.hiddenGrads != nil || h.logits == nil) && !h.truncates(i)
		most := h.block()
		if columns {
			most = columnRows
		}
		if last := len(all) - 1; last >= 0 && all[last].columns == columns && i-all[last].lo < most {
			all[last].hi++
			continue
		}
		all = append(all, targetRange{i, i + 1, columns})
	}
	return all
}

// block is how many targets the head takes at a time, with all their logits.
func (h *head) block() int { return max(16, headFloats/h.shape.Vocab) }

// forward answers all targets. Logits are computed for rows that have a target only.
func (h *head) forward() {
	v, d := h.shape.Vocab, h.shape.Hidden
	h.norms = h.arena.floats(len(h.targets))
	if h.wantsHiddenGrads() {
		h.hiddenGrads = h.arena.floats(len(h.targets) * d)
	}
	if h.keep && len(h.targets)*v <= h.maxSavedLogits && (h.hiddenGrads == nil || h.anyTruncated()) {
		h.logits = h.arena.floats(len(h.targets) * v)
	}
	before := h.arena.mark
	for _, s := range h.targetRanges() {
		x := h.gather(h.targets[s.lo:s.hi])
		if s.columns {
			h.columnsForward(s, x)
		} else {
			z := h.distributions(s, x)
			for i := s.lo; i < s.hi; i++ {
				h.targets[i].read(row(z, i-s.lo, v), 0)
				h.targets[i].normalize(h.norms[i])
			}
		}
		h.arena.release(before)
	}
	for _, a := range h.values {
		*a.to = a.policy.value.value(h.k, row(h.hidden, a.row, d))
	}
}

// truncates reports whether the distribution of target i is truncated.
func (h *head) truncates(i int) bool { return truncates(h.targets[i].sampling, h.shape.Vocab) }

func (h *head) anyTruncated() bool {
	for i := range h.targets {
		if h.truncates(i) {
			return true
		}
	}
	return false
}

// gather copies the hidden states that targets need into one block.
func (h *head) gather(targets []target) []float32 {
	d := h.shape.Hidden
	x := h.arena.floats(len(targets) * d)
	h.parallel(len(targets), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(row(x, i, d), row(h.hidden, targets[i].row, d))
		}
	})
	return x
}

// distributions computes the distributions of a range, whose hidden states are x, and their norms.
func (h *head) distributions(s targetRange, x []float32) []float32 {
	v, n := h.shape.Vocab, s.hi-s.lo
	var z []float32
	if h.logits != nil {
		z = h.logits[s.lo*v : s.hi*v]
	} else {
		z = h.arena.floats(n * v)
	}
	gathered := h.gatherLogits(s, z, 0, v)
	if !gathered {
		h.k.Mul(z, x, n, h.net.head.matrix, false)
	}
	h.k.Run(n, func(i int) {
		a := &h.targets[s.lo+i]
		if !gathered {
			h.finishLogits(row(z, i, v))
		}
		a.mask.apply(row(z, i, v), 0, a.token)
		h.norms[s.lo+i] = warpAndNormalizer(h.k, row(z, i, v), a.sampling, a.token)
	})
	return z
}

// backward takes the gradient of each target and returns that of the hidden states [rows, hidden]. It accumulates the gradients
// of the head's and the value heads' parameters.
func (h *head) backward(targets, values []float32) []float32 {
	d := h.shape.Hidden
	dh := h.zeros(h.pass.rows() * d)
	before := h.arena.mark
	for _, s := range h.targetRanges() {
		g := targets[s.lo:s.hi]
		if s.columns && h.hiddenGrads != nil {
			for i := s.lo; i < s.hi; i++ {
				h.k.AddScaled(row(dh, h.targets[i].row, d), targets[i], row(h.hiddenGrads, i, d))
			}
			continue
		}
		x := h.gather(h.targets[s.lo:s.hi])
		if s.columns {
			x = h.columnsBackward(s, x, g)
		} else {
			h.rowsBackward(s, x, g)
		}
		for i := s.lo; i < s.hi; i++ {
			h.k.Add(row(dh, h.targets[i].row, d), row(x, i-s.lo, d))
		}
		h.arena.release(before)
	}
	for i, a := range h.values {
		a.policy.value.backward(h.k, row(h.hidden, a.row, d), row(dh, a.row, d), values[i])
	}
	return dh
}

// rowsBackward takes the gradients g of a range, whose hidden states are x, through all logits at once, to those of x, in
// place.
func (h *head) rowsBackward(s targetRange, x, g []float32) {
	v, d, n := h.shape.Vocab, h.shape.Hidden, s.hi-s.lo
	var z []float32
	if h.logits != nil {
		z = h.logits[s.lo*v : s.hi*v]
	} else {
		z = h.distributions(s, x)
	}
	h.k.Run(n, func(i int) { h.logitGradient(s.lo+i, row(z, i, v), 0, g[i]) })
	if weight := h.net.head.weight.g; weight != nil {
		h.k.MulGrad(weight, z, x, n, v, d)
	}
	h.k.MulT(x, z, n, h.net.head.matrix, false)
}

// logitGradient turns the distribution of target i over tokens first, first+1, ... into dL/dlogits, given g = dL/dlogprob:
// dlogprob/dz = (onehot - p)/T, of soft targets (q - |q|·p)/T, over the tokens that the mask, top-k and top-p kept, 0 elsewhere; times the slopes of logits that are
// capped or divided.
func (h *head) logitGradient(i int, z []float32, first int, g float32) {
	a := &h.targets[i]
	scale := g * float32(1/a.sampling.Temperature)
	mass := a.mass()
	var slopes []float32
	if h.bendsLogits() {
		b := h.scratch.get(len(z))
		defer h.scratch.put(b)
		slopes = b.floats[:len(z)]
		h.logitSlopes(slopes, z, a.sampling.Temperature)
	}
	h.k.Probabilities(z, h.norms[i], -scale*mass)
	a.each(func(token int, mass float32) {
		if t := token - first; t >= 0 && t < len(z) {
			z[t] += float32(scale * mass)
		}
	})
	multiply(z, slopes)
}

// finishLogits turns what the head's product gave, rows of any width, into logits: divided and capped as the family does. It is
// applied once to every logit, before masks and temperatures.
func (c *computation) finishLogits(z []float32) {
	if d := c.shape.LogitDivisor(); d != 1 {
		c.k.Scale(z, float32(1/d))
	}
	if limit := float32(c.shape.Caps.Logits); limit > 0 {
		c.softcap(z, limit)
	}
}

// bendsLogits reports whether the gradient of a logit is not that of the head's product.
func (c *computation) bendsLogits() bool {
	return c.shape.LogitDivisor() != 1 || c.shape.Caps.Logits > 0
}

// logitSlopes computes the derivative of each logit by the head's product, given logits that are divided by a temperature; 0 for those
// that are masked.
func (c *computation) logitSlopes(slopes, z []float32, temperature float64) {
	flat, limit := float32(1/c.shape.LogitDivisor()), c.shape.Caps.Logits
	inverse := float32(0)
	if limit > 0 {
		inverse = float32(temperature / limit)
	}
	for i, v := range z {
		if v == negativeInfinity {
			slopes[i] = 0
			continue
		}
		t := float32(v * inverse)
		slopes[i] = flat * float32(float32(1-t)*float32(1+t))
	}
}
