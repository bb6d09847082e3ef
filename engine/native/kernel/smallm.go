package kernel

import "sync"

// The gradients of a low-rank adapter, dA = dzᵀ·x and dB = dyᵀ·z, have as many rows or columns as the rank. Little is computed
// with each value of the wide operand, so that operand is read once, in place and along its rows.

const (
	// smallMRows is the most rows of such a gradient.
	smallMRows = 48
	// smallMDepth is the number of rows of the wide operand that are taken at a time: as much as the first-level cache holds of two
	// panels.
	smallMDepth = 128
)

// A smallM is dw [out, in] += dyᵀ·x, where dw has few rows.
type smallM struct {
	dw, dy, x     []float32
	rows, out, in int
	each          int // panels that a thread takes at a time
	outer         func(outerBlock)
	job           func(i int) // do, bound once
}

// smallMPool has gradients for the calls to come: through the jobs of a pool each would be allocated.
var smallMPool = sync.Pool{New: func() any {
	t := new(smallM)
	t.job = t.do
	return t
}}

// gradSmallM is MulGrad where dw has few rows.
func (k *Kernels) gradSmallM(dw, dy, x []float32, rows, out, in int) {
	t := smallMPool.Get().(*smallM)
	*t = smallM{dw, dy, x, rows, out, in, k.smallMPanels(panelsOf(in), rows*out*in), k.set.outer, t.job}
	k.Run(ceil(panelsOf(in), t.each), t.job)
	*t = smallM{job: t.job}
	smallMPool.Put(t)
}

// do does panels each·i, each·i+1, ... of dw.
func (t *smallM) do(i int) {
	full := t.in / panelWidth
	lo, hi := i*t.each, min((i+1)*t.each, full)
	for d := 0; d < t.rows; d += smallMDepth {
		b := outerBlock{ldc: t.in, lda: t.out, ldb: t.in, depth: min(smallMDepth, t.rows-d), rows: t.out}
		for p := lo; p < hi; p += 2 {
			b.c, b.a, b.b, b.panels = t.dw[p*panelWidth:], t.dy[d*t.out:], t.x[d*t.in+p*panelWidth:], min(2, hi-p)
			t.outer(b)
		}
	}
	if full*panelWidth < t.in && lo <= full && full < (i+1)*t.each {
		t.edge(full)
	}
}

// edge does the panel that the last column cuts off.
func (t *smallM) edge(panel int) {
	s := scratchPool.Get().(*scratch)
	for d := 0; d < t.rows; d += gradBlock {
		gradUnit(t.outer, t.dw, t.dy[d*t.out:], t.x[d*t.in:], min(gradBlock, t.rows-d), t.out, t.in, unit{0, t.out, panel, 1}, s)
	}
	scratchPool.Put(s)
}

// smallMPanels is how many panels of dw a thread takes at a time, of a gradient of so many multiply-adds.
func (k *Kernels) smallMPanels(panels, work int) int {
	if work < inlineWork {
		return panels
	}
	g := grid{down: 1, panels: panels}
	return g.evenest(2*ceil(panels, 2*min(2*k.Threads(), ceil(work, unitWork))), k.Threads())
}

// gradSmallN is MulGrad where dw has few columns: it computes dwᵀ.
func (k *Kernels) gradSmallN(dw, dy, x []float32, rows, out, in int) {
	s := scratchPool.Get().(*scratch)
	turned := grown(&s.sums, in*out)
	for o := range out {
		for i := range in {
			turned[i*out+o] = dw[o*in+i]
		}
	}
	k.gradSmallM(turned, x, dy, rows, in, out)
	for o := range out {
		for i := range in {
			dw[o*in+i] = turned[i*out+o]
		}
	}
	scratchPool.Put(s)
}
