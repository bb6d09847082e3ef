package native

import (
	"parley/engine"
	"parley/engine/native/kernel"
	"parley/model/config"
)

// A projectionGroup is the projections of a layer that read the same input.
type projectionGroup int

const (
	attentionIn projectionGroup = iota
	attentionOut
	mlpIn
	mlpOut
	projectionGroups // how many there are
)

var (
	plainGroups = [projectionGroups][]config.Projection{{config.QProj, config.KProj, config.VProj}, {config.OProj}, {config.GateProj, config.UpProj}, {config.DownProj}}
	fusedGroups = [projectionGroups][]config.Projection{{config.QKVProj}, {config.OProj}, {config.GateUpProj}, {config.DownProj}}
)

// projectionsOf lists those of a family in a projection group.
func projectionsOf(f *config.Family, s projectionGroup) []config.Projection {
	if f.Fused {
		return fusedGroups[s]
	}
	return plainGroups[s]
}

// A loraGroup is the adapters of a policy in one projection group of a layer. Their A matrices lie one below the other, so that one product
// serves them all.
type loraGroup struct {
	loras []*lora // of the projections of the group; nil: not adapted
	rank  int     // of all together
	in    int
	g     []float32      // [rank, in] gradients of the A matrices, which the adapters' own are parts of; nil: never trained
	panel *kernel.Matrix // [rank, in] of the A matrices
}

// newLoraGroup brings together the adapters of a projection group, of which there is at least one.
func newLoraGroup(loras []*lora) *loraGroup {
	s := &loraGroup{loras: loras}
	for _, l := range loras {
		if l != nil {
			s.rank, s.in = s.rank+l.rank, l.a.shape[1]
		}
	}
	return s
}

// train gives the adapters what training needs.
func (s *loraGroup) train() {
	s.g = make([]float32, s.rank*s.in)
	s.each(func(_ int, l *lora, at int) {
		l.a.g = s.g[at*s.in:][:l.rank*s.in]
		l.a.m, l.a.v = make([]float32, len(l.a.g)), make([]float32, len(l.a.g))
		l.b.train()
	})
}

// each calls f for every adapter: which of the projections of the group it is for, and the first row of its A matrix in the group.
func (s *loraGroup) each(f func(j int, l *lora, at int)) {
	at := 0
	for j, l := range s.loras {
		if l != nil {
			f(j, l, at)
			at += l.rank
		}
	}
}

// transposedFloats is how many values the B matrices of the group have.
func (s *loraGroup) transposedFloats() int {
	n := 0
	s.each(func(_ int, l *lora, _ int) { n += len(l.b.g) })
	return n
}

// transposeGrads writes the gradients of the B matrices to dst, each as [rank, out]: a product with the outputs as its columns is several
// times as fast as one with the few ranks.
func (s *loraGroup) transposeGrads(dst []float32) {
	s.each(func(_ int, l *lora, _ int) {
		transpose(dst, l.b.g, l.b.shape[0], l.rank)
		dst = dst[len(l.b.g):]
	})
}

// storeGrads takes back what transposeGrads wrote.
func (s *loraGroup) storeGrads(src []float32) {
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
func (s *loraGroup) makeRoom(k *kernel.Kernels) {
	if s.panel != nil {
		return
	}
	s.panel = k.NewMatrix(engine.F32, s.rank, s.in)
	s.each(func(_ int, l *lora, at int) {
		l.panel = k.NewMatrix(engine.F32, l.b.shape[0], l.rank)
		l.a.packed, l.b.packed = packedRows{s.panel, at}, packedRows{l.panel, 0}
	})
}

// pack moves values into the packed matrices, unless they are there.
func (s *loraGroup) pack() {
	s.each(func(_ int, l *lora, _ int) {
		l.a.pack()
		l.b.pack()
	})
}
