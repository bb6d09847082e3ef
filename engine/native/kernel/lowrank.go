package kernel

import "parley/engine"

// A LowRank is what a low-rank adapter adds to rows From, ..., From+Rows-1 of a product with frozen weights. It is added to each piece
// of the result as prefetch as that is computed and while it lies in the nearest cache; the bits are those of a product that
// accumulates afterwards.
type LowRank struct {
	From, Rows int
	Z          []float32 // the low-rank rows: [Rows, W.In] beside MulAll, [Rows, W.Out] beside MulT
	W          *Matrix   // float32: y += Z·Wᵀ beside MulAll, dx += Z·W beside MulT
}

// MulAllPlus is MulAll, and then adds lowRank[i] to ys[i].
func (k *Kernels) MulAllPlus(ys [][]float32, x []float32, rows int, ws []*Matrix, accumulate bool, lowRank [][]LowRank) {
	k.mulAll(ys, x, rows, ws, accumulate, lowRank, nil)
}

func (k *Kernels) mulAll(ys [][]float32, x []float32, rows int, ws []*Matrix, accumulate bool, lowRank [][]LowRank, prefetch *Prefetch) {
	var room [3]factor // as many projections read the same input
	fs := room[:0]
	for _, low := range []bool{false, true} {
		fs = fs[:0]
		for i, w := range ws {
			if (w.format != engine.F32) == low {
				f := factor{ys[i], w, 0, w.Out, nil}
				if i < len(lowRank) {
					f.lowRank = lowRank[i]
				}
				fs = append(fs, f)
			}
		}
		k.mul(fs, x, rows, accumulate, prefetch)
	}
}

// MulTPlus is MulT, and then adds lowRank to dx.
func (k *Kernels) MulTPlus(dx, dy []float32, rows int, w *Matrix, accumulate bool, lowRank []LowRank) {
	if w.Out >= depthBlockedOutputs && rows >= depthBlockedRows {
		k.mulTDepthBlocked(dx, dy, rows, w, accumulate, lowRank)
		return
	}
	mustHave("left operand", dy, rows*w.Out)
	k.mulT(dx, dy, w.Out, rows, w, 0, w.Out, accumulate, lowRank)
}

// mustFit panics unless l fits a product of some rows whose depth it adds to and whose results are out wide.
func (l *LowRank) mustFit(rows, depth, width, out int) {
	mustHave("low-rank rows", l.Z, l.Rows*depth)
	if l.W.format != engine.F32 || width != out || l.From < 0 || l.Rows < 0 || l.From+l.Rows > rows {
		panic("kernel: a low-rank part that does not fit its product")
	}
}

// addLowRank adds what adapters add to the panels u of q, of which there are at most rowBlock rows.
func (p *product) addLowRank(q *part, u unit, s *scratch) {
	for i := range q.lowRank {
		l := &q.lowRank[i]
		from, to := max(u.row, l.From), min(u.row+u.rows, l.From+l.Rows)
		if from >= to {
			continue
		}
		b := block{rows: to - from, depth: l.W.In, accumulate: true}
		panels := l.W.panels
		if b.ldb = b.depth * panelWidth; !q.lowRankTransposed {
			panels = panels[u.panel*b.ldb:]
		} else {
			b.depth = l.W.Out
			b.ldb = panelsOf(b.depth) * panelWidth * panelWidth
			panels = grown(&s.lowRank, u.panels*b.ldb)
			transposed{transpose: p.transpose, w: l.W}.load(panels, b.ldb, u.panel, u.panels, 0, b.depth, s)
		}
		b.a, b.lda = l.Z[(from-l.From)*b.depth:], b.depth
		plain := product{multiply: p.plain}
		plain.columns(b, q.c, q.width, unit{from, b.rows, u.panel, u.panels}, panels, s)
	}
}
