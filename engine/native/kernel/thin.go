package kernel

// The gradients of a low-rank adapter, dA = dzᵀ·x and dB = dyᵀ·z, have as many rows or columns as the rank. Little is computed
// with each value of the wide operand, so that operand is read once, in place and along its rows.

const (
	// thinRows is the most rows of such a gradient.
	thinRows = 48
	// thinDepth is the number of rows of the wide operand that are taken at a time: as much as the first-level cache holds of two
	// panels.
	thinDepth = 128
)

// gradThin is MulGrad where dw has few rows.
func (k *Kernels) gradThin(dw, dy, x []float32, rows, out, in int) {
	full := in / panelWidth
	each := k.thinPanels(panelsOf(in), rows*out*in)
	k.Run(ceil(panelsOf(in), each), func(i int) {
		lo, hi := i*each, min((i+1)*each, full)
		for d := 0; d < rows; d += thinDepth {
			dy, x, depth := dy[d*out:], x[d*in:], min(thinDepth, rows-d)
			for p := lo; p < hi; p += 2 {
				k.set.outer(outerBlock{c: dw[p*panelWidth:], a: dy, b: x[p*panelWidth:], ldc: in, lda: out, ldb: in, depth: depth, rows: out,
					panels: min(2, hi-p)})
			}
		}
		if full*panelWidth < in && lo <= full && full < (i+1)*each {
			s := scratchPool.Get().(*scratch)
			for d := 0; d < rows; d += gradBlock {
				k.gradPanel(dw, dy[d*out:], x[d*in:], min(gradBlock, rows-d), out, in, full, unit{rows: out}, s)
			}
			scratchPool.Put(s)
		}
	})
}

// thinPanels is how many panels of dw a thread takes at a time, of a gradient of so many multiply-adds.
func (k *Kernels) thinPanels(panels, work int) int {
	if work < inlineWork {
		return panels
	}
	g := grid{down: 1, panels: panels}
	return g.evenest(2*ceil(panels, 2*min(2*k.Threads(), ceil(work, unitWork))), k.Threads())
}

// gradTurned is MulGrad where dw has few columns: it computes dwᵀ.
func (k *Kernels) gradTurned(dw, dy, x []float32, rows, out, in int) {
	s := scratchPool.Get().(*scratch)
	turned := grown(&s.sums, in*out)
	for o := range out {
		for i := range in {
			turned[i*out+o] = dw[o*in+i]
		}
	}
	k.gradThin(turned, x, dy, rows, in, out)
	for o := range out {
		for i := range in {
			dw[o*in+i] = turned[i*out+o]
		}
	}
	scratchPool.Put(s)
}
