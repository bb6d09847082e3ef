package kernel

import "sync"

// The gradients of a low-rank adapter, dA = dzᵀ·x and dB = dyᵀ·z, have as many rows or columns as the rank. Little is computed
// with each value of the wide operand, so that operand is read once, in place and along its rows.

const (
	// thinRows is the most rows of such a gradient.
	thinRows = 48
	// thinDepth is the number of rows of the wide operand that are taken at a time: as much as the first-level cache holds of two
	// panels.
	thinDepth = 128
)

// A thin is dw [out, in] += dyᵀ·x, where dw has few rows.
type thin struct {
	dw, dy, x     []float32
	rows, out, in int
	each          int // panels that a thread takes at a time
	outer         func(outerBlock)
	job           func(i int) // do, bound once
}

// thinPool has gradients for the calls to come: through the jobs of a team each would be allocated.
var thinPool = sync.Pool{New: func() any {
	t := new(thin)
	t.job = t.do
	return t
}}

// gradThin is MulGrad where dw has few rows.
func (k *Kernels) gradThin(dw, dy, x []float32, rows, out, in int) {
	t := thinPool.Get().(*thin)
	*t = thin{dw, dy, x, rows, out, in, k.thinPanels(panelsOf(in), rows*out*in), k.set.outer, t.job}
	k.Run(ceil(panelsOf(in), t.each), t.job)
	*t = thin{job: t.job}
	thinPool.Put(t)
}

// do does panels each·i, each·i+1, ... of dw.
func (t *thin) do(i int) {
	full := t.in / panelWidth
	lo, hi := i*t.each, min((i+1)*t.each, full)
	for d := 0; d < t.rows; d += thinDepth {
		b := outerBlock{ldc: t.in, lda: t.out, ldb: t.in, depth: min(thinDepth, t.rows-d), rows: t.out}
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
func (t *thin) edge(panel int) {
	s := scratchPool.Get().(*scratch)
	for d := 0; d < t.rows; d += gradBlock {
		gradUnit(t.outer, t.dw, t.dy[d*t.out:], t.x[d*t.in:], min(gradBlock, t.rows-d), t.out, t.in, unit{0, t.out, panel, 1}, s)
	}
	scratchPool.Put(s)
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
