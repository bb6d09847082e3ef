package native

import (
	"math"

	"parley/engine/native/kernel"
	"parley/seed"
	"parley/weights/peft"
)

// A lora is the low-rank adapter of one projection (Hu et al. 2021, §4.1): y += scale·(x·Aᵀ)·Bᵀ.
type lora struct {
	a, b           *param // [rank, in] and [out, rank]
	aPanel, bPanel *kernel.Matrix
	rank           int
	scale          float32
}

func newLora(m peft.Module, rank int, scale float64) *lora {
	l := &lora{a: newParam(m.A(), rank, m.In), b: newParam(m.B(), m.Out, rank), rank: rank, scale: float32(scale)}
	for _, p := range []*param{l.a, l.b} {
		p.w = make([]float32, p.size())
		p.train()
	}
	return l
}

// draw fills A as PEFT does, uniformly within ±1/sqrt(in); B stays zero, so that the adapter changes nothing at first.
func (l *lora) draw(s uint64) {
	r := seed.Stream(s)
	bound := 1 / math.Sqrt(float64(l.a.shape[1]))
	for i := range l.a.w {
		l.a.w[i] = float32((2*r.Float64() - 1) * bound)
	}
}

func (l *lora) pack(k *kernel.Kernels) {
	if l.aPanel == nil {
		l.aPanel = k.Pack(l.rank, l.a.shape[1], l.a.w)
		l.bPanel = k.Pack(l.b.shape[0], l.rank, l.b.w)
		return
	}
	k.Repack(l.aPanel, l.a.w)
	k.Repack(l.bPanel, l.b.w)
}

// forward adds the adapter's part to y [rows, out] and leaves u = scale·x·Aᵀ [rows, rank].
func (l *lora) forward(k *kernel.Kernels, y, u, x []float32, rows int) {
	k.Mul(u, x, rows, l.aPanel, false)
	k.Scale(u[:rows*l.rank], l.scale)
	k.Mul(y, u, rows, l.bPanel, true)
}

// backward accumulates the gradients of A and B given dy [rows, out] and adds to dx [rows, in] unless that is nil. du is
// scratch of the size of u.
func (l *lora) backward(k *kernel.Kernels, dx, du, dy, u, x []float32, rows int) {
	out, in := l.b.shape[0], l.a.shape[1]
	k.MulGrad(l.b.g, dy, u, rows, out, l.rank)
	k.MulT(du, dy, rows, l.bPanel, false)
	k.Scale(du[:rows*l.rank], l.scale)
	k.MulGrad(l.a.g, du, x, rows, l.rank, in)
	if dx != nil {
		k.MulT(dx, du, rows, l.aPanel, true)
	}
}
