package native

import "parley/engine/native/kernel"

const (
	// columnRows is the most targets that go through the vocabulary together: enough to make up for bringing the weights together.
	columnRows = 1024
	// columnFloats is about how many logits there are at a time.
	columnFloats = 1 << 20
	// gradientColumns are the columns of a block in the backward pass: one block of the product's depth.
	gradientColumns = 896
)

// columnsOf is how many columns of the logits of so many rows are in memory at a time: whole blocks of a sum.
func columnsOf(rows int) int {
	return max(1, columnFloats/max(1, rows)/kernel.SumBlock) * kernel.SumBlock
}

// columnsForward answers a range of targets, whose hidden states are x, going over the vocabulary in blocks of columns. Each target
// has a running sum of exponentials, which takes the blocks in order, and sees its token's logit pass by. Where hidden gradients are
// wanted, they take the same blocks.
func (h *head) columnsForward(s targetRange, x []float32) {
	n, v, d := s.hi-s.lo, h.shape.Vocab, h.shape.Hidden
	size := columnsOf(n)
	var grads []float32
	if h.hiddenGrads != nil {
		grads, size = h.hiddenGrads[s.lo*d:s.hi*d], hiddenGradColumns
	}
	sums, z := make([]kernel.LogSum, n), h.arena.floats(n*min(size, v))
	for i := range sums {
		sums[i] = kernel.NewLogSum()
	}
	for from := 0; from < v; from += size {
		to := min(v, from+size)
		gathered := h.gatherLogits(s, z, from, to)
		if !gathered {
			h.k.MulColumns(z, x, n, h.net.head.matrix, from, to)
		}
		h.parallel(n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				a, zi := &h.targets[s.lo+i], row(z, i, to-from)
				if !gathered {
					h.finishLogits(zi)
				}
				before := sums[i].Largest()
				h.addColumns(a, &sums[i], zi, from)
				if grads != nil {
					h.weightColumns(a, zi, row(grads, i, d), from, before, sums[i].Largest())
				}
			}
		})
		if grads != nil {
			h.k.MulTColumns(grads, z, n, h.net.head.matrix, from, to, from > 0)
		}
	}
	for i := range sums {
		h.norms[s.lo+i] = sums[i].Log()
		h.targets[s.lo+i].normalize(h.norms[s.lo+i])
	}
	if grads != nil {
		h.finishHiddenGrads(s, sums)
	}
}

// addColumns takes the logits z of tokens from, from+1, ... to the sum of a target, and its own token's to the target.
func (h *head) addColumns(a *target, sum *kernel.LogSum, z []float32, from int) {
	a.scale(h.k, z, from)
	a.read(z, from)
	for lo := 0; lo < len(z); lo += kernel.SumBlock {
		sum.Add(h.k.SumBlock(z[lo:min(len(z), lo+kernel.SumBlock)]))
	}
}

// scale masks the logits z of tokens from, from+1, ... and divides them by the temperature.
func (a *target) scale(k *kernel.Kernels, z []float32, from int) {
	a.mask.apply(z, from, a.token)
	applyTemperature(k, z, a.sampling.Temperature)
}

// columnsBackward takes the gradients g of a range, whose hidden states are x, to those of x. It computes the logits again,
// block by block, and feeds their gradients straight into the sums over the vocabulary.
func (h *head) columnsBackward(s targetRange, x, g []float32) []float32 {
	n, v, d := s.hi-s.lo, h.shape.Vocab, h.shape.Hidden
	dx, z := h.arena.floats(n*d), h.arena.floats(n*min(gradientColumns, v))
	for from := 0; from < v; from += gradientColumns {
		to := min(v, from+gradientColumns)
		h.k.MulColumns(z, x, n, h.net.head.matrix, from, to)
		h.parallel(n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				zi := row(z, i, to-from)
				h.finishLogits(zi)
				h.targets[s.lo+i].scale(h.k, zi, from)
				h.logitGradient(s.lo+i, zi, from, g[i])
			}
		})
		if weight := h.net.head.weight.g; weight != nil {
			h.k.MulGrad(weight[from*d:], z, x, n, to-from, d)
		}
		h.k.MulTColumns(dx, z, n, h.net.head.matrix, from, to, from > 0)
	}
	return dx
}
