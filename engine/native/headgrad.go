package native

import (
	"math"

	"parley/engine/native/kernel"
)

// hiddenGradColumns are the columns of a block where hidden gradients are wanted. Where a sum shrinks depends on them: they may not depend on
// the number of rows.
const hiddenGradColumns = 2 * kernel.SumBlock

// The hidden gradient of a target is that of its log-probability by the hidden state that predicts it. With p the distribution,
// W the head and T the temperature it is
//
//	(W[token] - Σ p[v]·W[v]) / T  =  ((1-p[token])·W[token] - Σ p[v]·W[v] over the other v) / T
//
// whatever the loss, which only scales it. So with a frozen head the forward pass computes hidden gradients beside log-probabilities, while
// a block of logits is at hand, and the backward pass needs neither logits nor products. The sum over the vocabulary takes the blocks of
// columns with weights e^(z - largest so far), and shrinks where a block brings a larger logit (Milakov & Gimelshein 2018, §3).

// wantsHiddenGrads reports that the head computes hidden gradients: its matrix is frozen and a backward pass will come.
func (h *head) wantsHiddenGrads() bool { return h.keep && h.net.head.weight.g == nil }

// Where logits are capped or divided, each row W[v] counts times the slope of its logit. Of a soft target it is (Σ q[v]·W[v] - |q|·Σ p[v]·W[v]) / T.

// weightColumns turns the logits z of tokens from, from+1, ... into weights of the sum, the target's own token left out, and
// shrinks what the gradient has so far.
func (h *head) weightColumns(a *target, z, grad []float32, from int, before, largest float32) {
	if from > 0 && largest != before {
		h.k.Scale(grad, exp(before-largest))
	}
	if largest == negativeInfinity { // all tokens so far are masked
		clear(z)
		return
	}
	var slopes []float32
	if h.bendsLogits() {
		b := h.scratch.get(len(z))
		defer h.scratch.put(b)
		slopes = b.floats[:len(z)]
		h.logitSlopes(slopes, z, a.sampling.Temperature)
	}
	h.k.Probabilities(z, largest, 1)
	if a.soft != nil {
		a.soft.takeSlopes(slopes, from)
	} else if t := a.token - from; t >= 0 && t < len(z) {
		if z[t] = 0; slopes != nil {
			a.slope = slopes[t]
		}
	}
	multiply(z, slopes)
}

// finishHiddenGrads turns sums over the vocabulary, relative to the largest logit, into hidden gradients.
func (h *head) finishHiddenGrads(s targetRange, sums []kernel.LogSum) {
	d := h.shape.Hidden
	h.parallel(s.hi-s.lo, func(lo, hi int) {
		b := h.scratch.get(d)
		defer h.scratch.put(b)
		for i := lo; i < hi; i++ {
			a, grad := &h.targets[s.lo+i], row(h.hiddenGrads, s.lo+i, d)
			flat := float32(1 / a.sampling.Temperature)
			h.k.Scale(grad, -flat*a.mass()*exp(sums[i].Largest()-h.norms[s.lo+i]))
			if a.soft != nil {
				h.addSoftGrad(a.soft, grad, b.floats, flat)
				continue
			}
			h.net.head.matrix.Row(b.floats, a.token)
			own := -flat * float32(math.Expm1(float64(*a.to)))
			if h.bendsLogits() {
				own *= a.slope
			}
			h.k.AddScaled(grad, own, b.floats)
		}
	})
}

// exp is e^x, rounded from float64.
func exp(x float32) float32 { return float32(math.Exp(float64(x))) }
