package native

import (
	"parley/engine"
	"parley/engine/native/kernel"
	"parley/model/config"
)

// A site is a place in a layer where projections read the same input.
type site int

const (
	attentionIn site = iota
	attentionOut
	gatedIn
	gatedOut
	sites // how many there are
)

var (
	plainSites = [sites][]config.Projection{{config.QProj, config.KProj, config.VProj}, {config.OProj}, {config.GateProj, config.UpProj}, {config.DownProj}}
	fusedSites = [sites][]config.Projection{{config.QKVProj}, {config.OProj}, {config.GateUpProj}, {config.DownProj}}
)

// projectionsAt lists those of a family at a site.
func projectionsAt(f *config.Family, s site) []config.Projection {
	if f.Fused {
		return fusedSites[s]
	}
	return plainSites[s]
}

// A stack is the adapters of a policy at one site of a layer. Their A matrices lie one below the other, so that one product
// serves them all.
type stack struct {
	loras []*lora // of the projections of the site; nil: not adapted
	rank  int     // of all together
	in    int
	g     []float32      // [rank, in] gradients of the A matrices, which the adapters' own are parts of; nil: never trained
	panel *kernel.Matrix // [rank, in] of the A matrices
}

// newStack stacks the adapters of a site, of which there is at least one.
func newStack(loras []*lora) *stack {
	s := &stack{loras: loras}
	for _, l := range loras {
		if l != nil {
			s.rank, s.in = s.rank+l.rank, l.a.shape[1]
		}
	}
	return s
}

// train gives the adapters what training needs.
func (s *stack) train() {
	s.g = make([]float32, s.rank*s.in)
	s.each(func(_ int, l *lora, at int) {
		l.a.g = s.g[at*s.in:][:l.rank*s.in]
		l.a.m, l.a.v = make([]float32, len(l.a.g)), make([]float32, len(l.a.g))
		l.b.train()
	})
}

// each calls f for every adapter: which of the projections of the site it is for, and the first row that it has in the stack.
func (s *stack) each(f func(j int, l *lora, at int)) {
	at := 0
	for j, l := range s.loras {
		if l != nil {
			f(j, l, at)
			at += l.rank
		}
	}
}

// turnedFloats is how many values the B matrices of the site have.
func (s *stack) turnedFloats() int {
	n := 0
	s.each(func(_ int, l *lora, _ int) { n += len(l.b.g) })
	return n
}

// turn writes the gradients of the B matrices to dst, each as [rank, out]: a product with the outputs as its columns is several
// times as fast as one with the few ranks.
func (s *stack) turn(dst []float32) {
	s.each(func(_ int, l *lora, _ int) {
		transpose(dst, l.b.g, l.b.shape[0], l.rank)
		dst = dst[len(l.b.g):]
	})
}

// turnBack takes what turn wrote back.
func (s *stack) turnBack(src []float32) {
	s.each(func(_ int, l *lora, _ int) {
		transpose(l.b.g, src, l.rank, l.b.shape[0])
		src = src[len(l.b.g):]
	})
}

// transpose writes src [rows, width] to dst as [width, rows].
func transpose(dst, src []float32, rows, width int) {
	for r := range rows {
		for i, v := range src[r*width:][:width] {
			dst[i*rows+r] = v
		}
	}
}

// makeRoom makes the packed matrices, unless they are there.
func (s *stack) makeRoom(k *kernel.Kernels) {
	if s.panel != nil {
		return
	}
	s.panel = k.NewMatrix(engine.F32, s.rank, s.in)
	s.each(func(_ int, l *lora, at int) {
		l.panel = k.NewMatrix(engine.F32, l.b.shape[0], l.rank)
		l.a.rows, l.b.rows = rows{s.panel, at}, rows{l.panel, 0}
	})
}

// pack moves values into the packed matrices, unless they are there.
func (s *stack) pack() {
	s.each(func(_ int, l *lora, _ int) {
		l.a.pack()
		l.b.pack()
	})
}
