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

// deepMulT is MulT in stretches of the outputs, which are copied to lie together. The bits are the same.
func (k *Kernels) deepMulT(dx, dy []float32, rows int, w *Matrix, accumulate bool) {
	mustHave("left operand", dy, rows*w.Out)
	buffer := deepPool.Get().(*[]float32)
	defer deepPool.Put(buffer)
	for from := 0; from < w.Out; from += deepStretch {
		n := min(deepStretch, w.Out-from)
		together := grown(buffer, rows*n)
		k.Run(ceil(rows, rowBlock), func(i int) {
			first := i * rowBlock
			copyRows(together[first*n:], n, dy[first*w.Out+from:], w.Out, min(rowBlock, rows-first), n)
		})
		k.MulTColumns(dx, together, rows, w, from, from+n, accumulate || from > 0)
	}
}
