package kernel

import "sync"

const (
	// deepOutputs is where MulT begins to go over the outputs in stretches: rows of dy as long as a vocabulary lie so far apart,
	// and at such even distances, that a block of them does not stay in the caches.
	deepOutputs = 8 * depthBlock
	// deepStretch is how many outputs of all rows are brought together.
	deepStretch = 2 * depthBlock
	// deepRows is the number of rows from which that pays.
	deepRows = 24
)

var deepPool = sync.Pool{New: func() any { return new([]float32) }}

// deepMulT is MulT in stretches of the outputs. Those of dy are copied to lie together, unless they are rounded and so copied
// anyway. The bits are the same.
func (k *Kernels) deepMulT(dx, dy []float32, rows int, w *Matrix, accumulate bool, plus []LowRank) {
	mustHave("left operand", dy, rows*w.Out)
	buffer := deepPool.Get().(*[]float32)
	defer deepPool.Put(buffer)
	stretch := deepStretch
	if w.format != F32 {
		stretch *= 2 // of half the size
	}
	for from := 0; from < w.Out; from += stretch {
		n, accumulate := min(stretch, w.Out-from), accumulate || from > 0
		var last []LowRank
		if from+n == w.Out {
			last = plus
		}
		if w.format != F32 {
			k.mulT(dx, dy[from:], w.Out, rows, w, from, from+n, accumulate, last)
			continue
		}
		together := grown(buffer, rows*n)
		k.Run(ceil(rows, rowBlock), func(i int) {
			first := i * rowBlock
			copyRows(together[first*n:], n, dy[first*w.Out+from:], w.Out, min(rowBlock, rows-first), n)
		})
		k.mulT(dx, together, n, rows, w, from, from+n, accumulate, last)
	}
}
