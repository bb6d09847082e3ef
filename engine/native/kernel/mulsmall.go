package kernel

import (
	"runtime"

	"parley/engine"
)

// MulSmall is Mul on the calling goroutine, for products that are too small to spread: a few rows of a low-rank adapter. It
// allocates nothing.
func (k *Kernels) MulSmall(y, x []float32, rows int, w *Matrix, accumulate bool) {
	if w.format != engine.F32 || rows > rowBlock {
		k.Mul(y, x, rows, w, accumulate)
		return
	}
	mustHave("left operand", x, rows*w.In)
	mustHave("product", y, rows*w.Out)
	if aliased(w.In) && rows > aliasedRows {
		k.MulSmall(y, x, aliasedRows, w, accumulate)
		k.MulSmall(y[aliasedRows*w.Out:], x[aliasedRows*w.In:], rows-aliasedRows, w, accumulate)
		return
	}
	full := w.Out / panelWidth
	b := block{c: y, a: x, b: w.panels, ldc: w.Out, lda: w.In, ldb: w.In * panelWidth, depth: w.In, rows: rows, panels: full, accumulate: accumulate}
	// A deep panel is read in order: the tile of two prefetches those that follow, of which an adapter has none.
	b.linear = rows <= linearRows && w.In > shallow
	if full > 0 {
		k.set.multiply(b)
	}
	if columns := w.Out - full*panelWidth; columns > 0 {
		s := scratchPool.Get().(*scratch)
		edge := y[full*panelWidth:]
		if accumulate {
			copyRows(s.tile[:], panelWidth, edge, w.Out, rows, columns)
		}
		b.c, b.b, b.ldc, b.panels = s.tile[:], w.panels[full*b.ldb:], panelWidth, 1
		b.half = columns <= panelWidth/2
		k.set.multiply(b)
		copyRows(edge, w.Out, s.tile[:], panelWidth, rows, columns)
		scratchPool.Put(s)
	}
	runtime.KeepAlive(w)
}
