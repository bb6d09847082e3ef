package kernel

import "parley/engine"

const (
	// deepOutputs is where MulT begins to go over the outputs in stretches: rows of dy as long as a vocabulary lie so far apart,
	// and at such even distances, that a block of them does not stay in the caches.
	deepOutputs = 8 * depthBlock
	// deepStretch is how many outputs of all rows are brought together.
	deepStretch = 2 * depthBlock
	// deepRows is the number of rows from which that pays.
	deepRows = 24
)

// deepMulT is MulT in stretches of the outputs, of which mulT brings those of dy together. The bits are the same.
func (k *Kernels) deepMulT(dx, dy []float32, rows int, w *Matrix, accumulate bool, plus []LowRank) {
	mustHave("left operand", dy, rows*w.Out)
	stretch := deepStretch
	if w.format != engine.F32 {
		stretch *= 2 // of half the size
	}
	for from := 0; from < w.Out; from += stretch {
		to := min(from+stretch, w.Out)
		var last []LowRank
		if to == w.Out {
			last = plus
		}
		k.mulT(dx, dy[from:], w.Out, rows, w, from, to, accumulate || from > 0, last)
	}
}
