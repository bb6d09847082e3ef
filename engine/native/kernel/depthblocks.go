package kernel

import (
	"sync/atomic"

	"parley/engine"
)

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

// A split is a range of indices still to be claimed.
type split struct {
	_    [64]byte
	word atomic.Uint64 // next<<32 | end
	_    [64]byte
}

func (s *split) set(next, end int) { s.word.Store(uint64(next)<<32 | uint64(end)) }

// claim takes a quarter of what is left, at least one index: few claims, and small ones at the end. None left: lo == hi.
func (s *split) claim() (lo, hi int) {
	for {
		word := s.word.Load()
		next, end := int(word>>32), int(uint32(word))
		if next >= end {
			return 0, 0
		}
		to := next + (end-next+3)/4
		if s.word.CompareAndSwap(word, uint64(to)<<32|uint64(end)) {
			return next, to
		}
	}
}
