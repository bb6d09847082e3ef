package kernel

import "sync"

// scratch is the memory that one unit of a product works in. It is pooled: through a set's function values it would
// otherwise be allocated each time.
type scratch struct {
	tile    [2 * rowBlock * panelWidth]float32           // result of panels that reach beyond the last column
	panel   [gradBlock * gradPanels * panelWidth]float32 // right operand of a weight gradient, columns brought together
	corner  [tilesFew * panelWidth * panelWidth]float32  // part of the weights before it is transposed
	right   []float32                                    // right operand of one block
	sums    []float32                                    // result before it is scaled
	lowRank []float32                                    // right operand of a low-rank part
	queue   prefetchQueue                                // what the unit prefetches beside its own operands
	paced   pacedPrefetch                                // what its tiles prefetch at an even pace
	after   unit                                         // what is computed next
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// grown returns n values of memory kept in buffer, whatever they are.
func grown(buffer *[]float32, n int) []float32 {
	if cap(*buffer) < n {
		*buffer = make([]float32, n)
	}
	return (*buffer)[:n]
}
