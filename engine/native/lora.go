package native

import (
	"math"

	"parley/engine/native/kernel"
	"parley/internal/seed"
	"parley/model/weights/peft"
)

// A lora is the low-rank adapter of one projection (Hu et al. 2021, §4.1): y += scale·(x·Aᵀ)·Bᵀ.
type lora struct {
	a, b  *param         // [rank, in], whose values and gradients are parts of its [loraGroup], and [out, rank]
	panel *kernel.Matrix // of b
	rank  int
	scale float32
}

func newLora(m peft.Module, rank int, scale float64) *lora {
	l := &lora{a: newParam(m.A(), rank, m.In), b: newParam(m.B(), m.Out, rank), rank: rank, scale: float32(scale)}
	l.a.w, l.b.w = make([]float32, l.a.size()), make([]float32, l.b.size())
	return l
}

// initialize fills A as PEFT does, uniformly within ±1/sqrt(in); B stays zero, so that the adapter changes nothing at first.
func (l *lora) initialize(s uint64) {
	r := seed.Stream(s)
	bound := 1 / math.Sqrt(float64(l.a.shape[1]))
	for i := range l.a.w {
		l.a.w[i] = float32((2*r.Float64() - 1) * bound)
	}
}

// scaleInto writes scale·src to dst: [rows, rank] in the columns of matrices that are so wide.
func (l *lora) scaleInto(dst []float32, dstWidth int, src []float32, srcWidth, rows int) {
	for r := range rows {
		to := dst[r*dstWidth:][:l.rank]
		for i, v := range src[r*srcWidth:][:l.rank] {
			to[i] = l.scale * v
		}
	}
}
