package kernel

import "sync"

// scratch is the memory that one unit of a product works in. It is pooled: through a set's function values it would
// otherwise be allocated each time.
type scratch struct {
	tile   [rowBlock * panelWidth]float32   // result of a panel that reaches beyond the last column
	panel  [depthBlock * panelWidth]float32 // right operand of one block, columns brought together
	corner [panelWidth * panelWidth]float32 // part of the weights at their last inputs, padded
	low    []float32                        // right operand of a product of low precision
}

// lowPanel returns room for depth rows of one panel.
func (s *scratch) lowPanel(depth int) []float32 {
	if cap(s.low) < depth*panelWidth {
		s.low = make([]float32, depth*panelWidth)
	}
	return s.low[:depth*panelWidth]
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}
