package kernel

import (
	"runtime"

	"parley/engine"
)

// Mul computes y (+)= x·Wᵀ: y [rows, w.Out], x [rows, w.In], row-major. Without accumulate y is overwritten.
func (k *Kernels) Mul(y, x []float32, rows int, w *Matrix, accumulate bool) {
	k.mul([]factor{{y: y, w: w, to: w.Out}}, x, rows, accumulate, nil)
}

// MulColumns computes y = x·W[from:to]ᵀ: y [rows, to-from], x [rows, w.In]. from is a multiple of 16, and so is to unless it is
// w.Out.
func (k *Kernels) MulColumns(y, x []float32, rows int, w *Matrix, from, to int) {
	k.mul([]factor{{y: y, w: w, from: from, to: to}}, x, rows, false, nil)
}

// MulAll computes ys[i] (+)= x·Wᵢᵀ for matrices of the same In: ys[i] [rows, ws[i].Out], x [rows, In]. It is faster than one Mul
// after the other: the pool begins and ends together once, and x is rounded once.
func (k *Kernels) MulAll(ys [][]float32, x []float32, rows int, ws []*Matrix, accumulate bool) {
	k.mulAll(ys, x, rows, ws, accumulate, nil, nil)
}

// MulAllPrefetch is MulAll, and prefetches memory that is read after it.
func (k *Kernels) MulAllPrefetch(prefetch *Prefetch, ys [][]float32, x []float32, rows int, ws []*Matrix, accumulate bool) {
	k.mulAll(ys, x, rows, ws, accumulate, nil, prefetch)
}

// A factor is outputs from, ..., to-1 of a matrix and its product y.
type factor struct {
	y        []float32
	w        *Matrix
	from, to int
	lowRank  []LowRank
}

// mul computes the products of x with matrices that are all F32 or all of low precision.
func (k *Kernels) mul(fs []factor, x []float32, rows int, accumulate bool, prefetch *Prefetch) {
	if len(fs) == 0 {
		return
	}
	in, low := fs[0].w.In, fs[0].w.format != engine.F32
	mustHave("left operand", x, rows*in)
	p := k.newProduct(x, in, rows, in)
	defer p.free()
	p.prefetch = prefetch
	if low {
		a := k.roundLHS(x, in, rows, in, nil)
		defer a.free()
		a.operandOf(p)
	} else if aliased(in) && rows > 1 && outputs(fs) >= minCopiedOutputs {
		a := k.copyLHS(x, in, rows, in)
		defer a.free()
		a.operandOf(p)
	}
	for i := range fs {
		f := &fs[i]
		f.check(rows, in)
		q := part{c: f.y, width: f.to - f.from, accumulate: accumulate, lowRank: f.lowRank}
		if low {
			k.lowPart(&q, f, rows)
		} else {
			q.panels = f.w.panels[f.from*in:]
		}
		p.parts = append(p.parts, q)
	}
	p.run(k)
	runtime.KeepAlive(fs) // and the memory of the matrices with them
}

// outputs is how many values the factors have a row.
func outputs(fs []factor) int {
	n := 0
	for i := range fs {
		n += fs[i].to - fs[i].from
	}
	return n
}

func (f *factor) check(rows, in int) {
	f.w.mustHaveOutputs(f.from, f.to)
	mustHave("product", f.y, rows*(f.to-f.from))
	for i := range f.lowRank {
		l := &f.lowRank[i]
		l.mustFit(rows, l.W.In, l.W.Out, f.w.Out)
	}
	if f.w.In != in {
		panic("kernel: matrices that share the left operand have different numbers of inputs")
	}
}

// MulT computes dx (+)= dy·W: dx [rows, w.In], dy [rows, w.Out], row-major. Without accumulate dx is overwritten.
func (k *Kernels) MulT(dx, dy []float32, rows int, w *Matrix, accumulate bool) {
	k.MulTPlus(dx, dy, rows, w, accumulate, nil)
}

// MulTColumns computes dx (+)= dy·W[from:to]: dx [rows, w.In], dy [rows, to-from]. from is a multiple of 16, and so is to unless
// it is w.Out. Calls that accumulate over ascending ranges of the outputs give the bits of one MulT; of kind "tiles" they do if the ranges
// begin at multiples of 32.
func (k *Kernels) MulTColumns(dx, dy []float32, rows int, w *Matrix, from, to int, accumulate bool) {
	mustHave("left operand", dy, rows*(to-from))
	k.mulT(dx, dy, to-from, rows, w, from, to, accumulate, nil)
}

// mulT is MulTColumns where the rows of dy are lda words apart, and then adds plus to dx.
func (k *Kernels) mulT(dx, dy []float32, lda, rows int, w *Matrix, from, to int, accumulate bool, plus []LowRank) {
	w.mustHaveOutputs(from, to)
	mustHave("product", dx, rows*w.In)
	for i := range plus {
		l := &plus[i]
		l.mustFit(rows, l.W.Out, l.W.In, w.In)
	}
	p := k.newProduct(dy, lda, rows, to-from)
	defer p.free()
	p.transposed = transposed{k.set.transpose, k.set.prefetch, w, from / panelWidth}
	result := part{c: dx, width: w.In, accumulate: accumulate, load: &p.transposed, lowRank: plus, lowRankTransposed: true}
	if w.format != engine.F32 {
		a := k.roundLHS(dy, lda, rows, to-from, w.low.steps(from, to))
		defer a.free()
		a.operandOf(p)
		p.transposedLow = transposedLow{k.set.lowOf(rows), k.set.prefetch, w.low, w.In, from / panelWidth}
		result.load = &p.transposedLow
	} else if (aliased(lda) || lda > to-from) && rows > 1 && w.In >= minCopiedOutputs {
		a := k.copyLHS(dy, lda, rows, to-from)
		defer a.free()
		a.operandOf(p)
	}
	p.parts = append(p.parts, result)
	p.run(k)
	runtime.KeepAlive(w)
}

// transposed is the right operand of MulT: W from panel first on, depth along the outputs.
type transposed struct {
	transpose func(dst, src []float32, ldd, blocks int)
	prefetch  func(words []float32) // nil: tiles do, as next says
	w         *Matrix
	first     int
}

// prefetchBlocks is how many blocks of outputs ahead weights are prefetched that are loaded.
const prefetchBlocks = 2

func (t transposed) next(panel, from int) upcoming {
	const size = panelWidth * panelWidth
	return upcoming{t.w.panel(t.first + from/panelWidth)[panel*size:], size, (t.w.In - panelWidth) * panelWidth}
}

func (t transposed) load(dst []float32, ldd int, panel, panels, from, n int, s *scratch) {
	const size = panelWidth * panelWidth
	full := min(panels, t.w.In/panelWidth-panel)
	for o := 0; o < n; o += panelWidth {
		source := t.w.panel(t.first + (from+o)/panelWidth)[panel*size:]
		if t.prefetch != nil && o+prefetchBlocks*panelWidth < n {
			t.prefetch(t.w.panel(t.first + (from+o)/panelWidth + prefetchBlocks)[panel*size:][:full*size])
		}
		out := dst[o*panelWidth:]
		if full > 0 {
			t.transpose(out, source, ldd, full)
		}
		if full < panels {
			clear(s.corner[copy(s.corner[:size], source[full*size:]):size])
			t.transpose(out[full*ldd:], s.corner[:], ldd, 1)
		}
	}
}
