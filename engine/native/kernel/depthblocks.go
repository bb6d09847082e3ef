package kernel

import "parley/engine"

const (
	// depthBlockedOutputs is where MulT begins to go over the outputs in ranges: rows of dy as long as a vocabulary lie so far apart,
	// and at such even distances, that a block of them does not stay in the caches.
	depthBlockedOutputs = 8 * depthBlock
	// depthBlockedOutputsAtOnce is how many outputs of all rows are brought together.
	depthBlockedOutputsAtOnce = 2 * depthBlock
	// depthBlockedRows is the number of rows from which that pays.
	depthBlockedRows = 24
)

// mulTDepthBlocked is MulT in ranges of the outputs, of which mulT brings those of dy together. The bits are the same.
func (k *Kernels) mulTDepthBlocked(dx, dy []float32, rows int, w *Matrix, accumulate bool, lowRank []LowRank) {
	mustHave("left operand", dy, rows*w.Out)
	size := depthBlockedOutputsAtOnce
	if w.format != engine.F32 {
		size *= 2 // of half the size
	}
	for from := 0; from < w.Out; from += size {
		to := min(from+size, w.Out)
		var last []LowRank
		if to == w.Out {
			last = lowRank
		}
		k.mulT(dx, dy[from:], w.Out, rows, w, from, to, accumulate || from > 0, last)
	}
}
