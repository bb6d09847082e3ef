package kernel

import (
	"math"
	"sync"
	"unsafe"

	"parley/model/weights/quant"
)

// Stored are keys or values in panels, as attention reads them: in float32, or in bfloat16, which takes half of the memory
// and of the time to read it. One of the two is nil.
//
// A set that multiplies pairs of bfloat16 stores rows of a panel by twos, word j of a panel's width the values of column j in rows 2i and
// 2i+1, the first of them in the upper half. That is the half that the processor adds first: a chain goes along the rows in their order, wherever
// it begins. Other sets store one row after the other. What is stored in either way gives products of the same bits.
type Stored struct {
	F32  []float32
	BF16 []uint16
}

// From returns what is stored from a place on, in values; it is the first of a row with an even number.
func (s Stored) From(at int) Stored {
	if s.BF16 != nil {
		return Stored{BF16: s.BF16[at:]}
	}
	return Stored{F32: s.F32[at:]}
}

// StoredIn views memory as room for keys or values of a pass.
func StoredIn(floats []float32, bf16 bool) Stored {
	if bf16 {
		return Stored{BF16: unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(floats))), 2*len(floats))}
	}
	return Stored{F32: floats}
}

// PutRow stores a row of values, row at of panels that are stride values apart, rounded where they are bfloat16. The last panel is filled up with
// zeros. Two rows of a pair may not be stored at the same time.
func (k *Kernels) PutRow(to Stored, stride, at int, x []float32) {
	switch {
	case to.BF16 == nil:
		putFloats(to.F32[at*panelWidth:], stride, x)
	case k.set.pairs != nil:
		k.set.pairs.put(to.BF16[at/2*2*panelWidth:], stride, x, at%2 == 1)
	default:
		k.putHalves(to.BF16[at*panelWidth:], stride, x)
	}
}

// EndRows ends rows of so many values before row at: what a pair has beside its only row counts as a number, and must be one. Memory of a stream is zeros at
// first.
func (k *Kernels) EndRows(to Stored, stride, at, n int) {
	if to.BF16 == nil || k.set.pairs == nil || at%2 == 0 {
		return
	}
	const pair = 2 * panelWidth
	for p := range ceil(n, panelWidth) {
		words := to.BF16[p*stride+at/2*pair:][:pair]
		for j := 0; j < pair; j += 2 {
			words[j] = 0
		}
	}
}

func putFloats(to []float32, stride int, x []float32) {
	for done := 0; done < len(x); done += panelWidth {
		piece := to[done/panelWidth*stride:][:panelWidth]
		clear(piece[copy(piece, x[done:]):])
	}
}

// putHalves stores a row by itself.
func (k *Kernels) putHalves(to []uint16, stride int, x []float32) {
	buffer := widePool.Get().(*[]float32)
	defer widePool.Put(buffer)
	rounded := grown(buffer, ceil(len(x), panelWidth)*panelWidth)
	clear(rounded[copy(rounded, x):])
	k.RoundBF16(rounded)
	if k.set.putBF16 != nil {
		k.set.putBF16(to, stride, rounded)
		return
	}
	for p := range len(rounded) / panelWidth {
		for i, v := range rounded[p*panelWidth:][:panelWidth] {
			to[p*stride+i] = upperHalf(v)
		}
	}
}

// TransposeStored is [Kernels.TransposeRows] into panels that are stored either way, from a column on; width is even. What is stored as bfloat16 is rounded.
func (k *Kernels) TransposeStored(panel Stored, column int, rows []float32, stride, n, width int) {
	if panel.BF16 == nil {
		k.TransposeRows(panel.F32[column:], rows, stride, n, width)
		return
	}
	mustHaveRows(rows, stride, n, width)
	if column+n > panelWidth || width%2 != 0 {
		panic("kernel: columns beyond a panel, or half a pair")
	}
	to := panel.BF16[:width*panelWidth]
	if k.set.pairs != nil {
		k.set.pairs.transpose(to, column, rows, stride, n, width)
		return
	}
	buffer := widePool.Get().(*[]float32)
	defer widePool.Put(buffer)
	rounded := grown(buffer, width)
	for r := range n {
		copy(rounded, rows[r*stride:])
		k.RoundBF16(rounded)
		for w, v := range rounded {
			to[w*panelWidth+column+r] = upperHalf(v)
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

// RoundLHS makes x a row of the left operand of [Kernels.MulStored] with rows at, at+1, ... of panels in bfloat16, one for each element. It takes
// no more words than x has elements, and dst may be x. With panels in float32 a row is its own operand.
func (k *Kernels) RoundLHS(dst, x []float32, at int) {
	if k.set.pairs != nil {
		k.set.pairs.roundLHS(dst[:storedWords(at, len(x))], x, at%2 == 1)
		return
	}
	copy(dst, x)
	k.RoundBF16(dst[:len(x)])
}

// storedWords is how many words of pairs hold rows at, ..., at+n-1.
func storedWords(at, n int) int {
	if n == 0 {
		return 0
	}
	return ceil(at%2+n, 2)
}

// MulStored computes c[rows][16·panels] (+)= a·b with rows at, ..., at+depth-1 of panels that are stored either way, ldb values apart. Rows of a, lda
// words apart, are those of [Kernels.RoundLHS]. Products with bfloat16 take denormal numbers as zero, as all of low precision do.
func (k *Kernels) MulStored(c []float32, ldc int, a []float32, lda, rows, at, depth int, b Stored, ldb, panels int, accumulate bool) {
	w := block{c: c, a: a, ldc: ldc, lda: lda, ldb: ldb, depth: depth, rows: rows, panels: panels, accumulate: accumulate}
	switch {
	case b.BF16 == nil:
		w.b = b.F32[at*panelWidth:]
		k.set.multiply(w)
	case k.set.pairs != nil:
		w.b, w.ldb, w.depth = wordsOf(b.BF16[at/2*2*panelWidth:]), ldb/2, storedWords(at, depth)
		k.set.pairs.multiply(w)
	default:
		k.set.multiplyBF16(w, b.BF16[at*panelWidth:])
	}
}

// wordsOf views stored values as the words that two of them are.
func wordsOf(stored []uint16) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(stored))), len(stored)/2)
}

// genericMultiplyBF16 is genericLowMultiply with panels of bfloat16.
func genericMultiplyBF16(b block, words []uint16) {
	buffer := widePool.Get().(*[]float32)
	defer widePool.Put(buffer)
	size := b.depth * panelWidth
	b.b = grown(buffer, b.panels*size)
	for p := range b.panels {
		to := b.b[p*size:][:size]
		for i, v := range words[p*b.ldb:][:size] {
			to[i] = quant.FromBF16(v)
		}
	}
	b.ldb = size
	genericLowMultiply(b)
}

var widePool = sync.Pool{New: func() any { return new([]float32) }}
