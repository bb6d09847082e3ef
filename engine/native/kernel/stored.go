package kernel

import (
	"math"
	"sync"

	"parley/weights/half"
)

// Stored are keys or values in panels, as attention reads them: in float32, or in bfloat16, which takes half of the memory
// and of the time to read it. One of the two is nil.
type Stored struct {
	F32  []float32
	BF16 []uint16
}

// From returns what is stored from word at on.
func (s Stored) From(at int) Stored {
	if s.BF16 != nil {
		return Stored{BF16: s.BF16[at:]}
	}
	return Stored{F32: s.F32[at:]}
}

// Copy copies n words of o, which is stored the same way.
func (s Stored) Copy(o Stored, n int) {
	if s.BF16 != nil {
		copy(s.BF16[:n], o.BF16[:n])
		return
	}
	copy(s.F32[:n], o.F32[:n])
}

// Put stores x at the beginning. What goes into bfloat16 has been rounded to it ([Kernels.RoundBF16]).
func (s Stored) Put(x []float32) {
	if s.BF16 == nil {
		copy(s.F32[:len(x)], x)
		return
	}
	to := s.BF16[:len(x)]
	for i, v := range x {
		to[i] = upperHalf(v)
	}
}

// PutPanels stores a row in pieces of a panel's width, stride words apart, the last one filled up with zeros. What goes into bfloat16 has
// been rounded to it.
func (k *Kernels) PutPanels(to Stored, stride int, x []float32) {
	whole := 0
	if to.BF16 != nil && k.set.putBF16 != nil {
		whole = len(x) / panelWidth * panelWidth
		k.set.putBF16(to.BF16, stride, x[:whole])
	}
	for ; whole < len(x); whole += panelWidth {
		piece := to.From(whole / panelWidth * stride)
		n := min(panelWidth, len(x)-whole)
		piece.Put(x[whole:][:n])
		piece.From(n).Put(zeros[n:])
	}
}

// zeros fill a row up to whole panels.
var zeros [panelWidth]float32

// TurnStored is [Kernels.TurnRows] into panels that are stored either way.
func (k *Kernels) TurnStored(panel Stored, rows []float32, stride, n, width int) {
	if panel.BF16 == nil {
		k.TurnRows(panel.F32, rows, stride, n, width)
		return
	}
	mustHaveRows(rows, stride, n, width)
	to := panel.BF16[:(width-1)*panelWidth+n]
	for r := range n {
		for w, v := range rows[r*stride:][:width] {
			to[w*panelWidth+r] = upperHalf(v)
		}
	}
}

// upperHalf is v as bfloat16, which it has been rounded to.
func upperHalf(v float32) uint16 { return uint16(math.Float32bits(v) >> 16) }

// RoundBF16 rounds x to bfloat16 in place: ties to even, denormal values to zero.
func (k *Kernels) RoundBF16(x []float32) {
	inPieces(len(x), func(lo, hi int) {
		if k.set.roundBF16 != nil {
			k.set.roundBF16(x[lo:hi])
			return
		}
		for i, v := range x[lo:hi] {
			x[lo+i] = roundBF16(v)
		}
	})
}

// MulStored is [Kernels.MulPanels] with panels that are stored either way. Words of bfloat16 are widened and multiplied as
// float32: the bits are those of MulPanels with the same values.
func (k *Kernels) MulStored(c []float32, ldc int, a []float32, lda, rows, depth int, b Stored, ldb, panels int, accumulate bool) {
	if b.BF16 == nil {
		k.MulPanels(c, ldc, a, lda, rows, depth, b.F32, ldb, panels, accumulate)
		return
	}
	wide := block{c: c, a: a, ldc: ldc, lda: lda, ldb: ldb, depth: depth, rows: rows, panels: panels, accumulate: accumulate}
	if k.set.multiplyBF16 != nil {
		k.set.multiplyBF16(wide, b.BF16)
		return
	}
	buffer := widePool.Get().(*[]float32)
	defer widePool.Put(buffer)
	wide.ldb = depth * panelWidth
	wide.b = grown(buffer, panels*wide.ldb)
	for p := range panels {
		to := wide.b[p*wide.ldb:][:wide.ldb]
		for i, v := range b.BF16[p*ldb:][:wide.ldb] {
			to[i] = half.FromBF16(v)
		}
	}
	k.set.multiply(wide)
}

var widePool = sync.Pool{New: func() any { return new([]float32) }}
