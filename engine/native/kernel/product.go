package kernel

const (
	// rowBlock rows of the left operand times depthBlock words of it stay in the second-level cache while panels pass by.
	rowBlock = 96
	// depthBlock is the most depth of one block: a panel of it fits the first-level cache. A longer sum is continued in
	// the next block from its value in c, which loses no bits.
	depthBlock = 512
	// inlineWork is the number of multiply-adds below which a product is not worth another thread.
	inlineWork = 1 << 17
	// unitWork is about the number of multiply-adds of one unit of a product that is spread over the team.
	unitWork = 1 << 18
)

// Mul computes y (+)= x·Wᵀ: y [rows, w.Out], x [rows, w.In], row-major. Without accumulate y is overwritten.
func (k *Kernels) Mul(y, x []float32, rows int, w *Matrix, accumulate bool) {
	k.mul(y, x, rows, w, 0, w.Out, accumulate)
}

// MulAll computes ys[i] (+)= x·Wᵢᵀ for matrices of the same In: ys[i] [rows, ws[i].Out], x [rows, In].
func (k *Kernels) MulAll(ys [][]float32, x []float32, rows int, ws []*Matrix, accumulate bool) {
	for i, w := range ws {
		k.Mul(ys[i], x, rows, w, accumulate)
	}
}

// MulColumns computes y = x·W[from:to]ᵀ: y [rows, to-from], x [rows, w.In]. from is a multiple of 16, and so is to unless it is
// w.Out.
func (k *Kernels) MulColumns(y, x []float32, rows int, w *Matrix, from, to int) {
	w.mustHaveOutputs(from, to)
	k.mul(y, x, rows, w, from, to, false)
}

func (k *Kernels) mul(y, x []float32, rows int, w *Matrix, from, to int, accumulate bool) {
	width := to - from
	mustHave("product", y, rows*width)
	mustHave("left operand", x, rows*w.In)
	if w.format != F32 {
		k.lowMul(y, x, rows, w, from, to, accumulate)
		return
	}
	g := newGrid(k, rows, panelsOf(width), w.In, rowBlock)
	g.run(k, func(u unit, s *scratch) {
		for d := 0; d < max(w.In, 1); d += depthBlock {
			b := block{
				a: x[u.row*w.In+d:], lda: w.In,
				ldb:   w.In * panelWidth,
				depth: min(depthBlock, w.In-d), rows: u.rows,
				accumulate: accumulate || d > 0,
			}
			k.columns(b, y, width, u, w.panels[(from/panelWidth+u.panel)*b.ldb+d*panelWidth:], s)
		}
	})
}

// MulT computes dx (+)= dy·W: dx [rows, w.In], dy [rows, w.Out], row-major. Without accumulate dx is overwritten.
func (k *Kernels) MulT(dx, dy []float32, rows int, w *Matrix, accumulate bool) {
	k.MulTColumns(dx, dy, rows, w, 0, w.Out, accumulate)
}

// MulTColumns computes dx (+)= dy·W[from:to]: dx [rows, w.In], dy [rows, to-from]. from is a multiple of 16, and so is to unless
// it is w.Out. Calls that accumulate over ascending ranges of the outputs give the bits of one MulT.
func (k *Kernels) MulTColumns(dx, dy []float32, rows int, w *Matrix, from, to int, accumulate bool) {
	w.mustHaveOutputs(from, to)
	mustHave("product", dx, rows*w.In)
	mustHave("left operand", dy, rows*(to-from))
	if w.format != F32 {
		k.lowMulT(dx, dy, rows, w, from, to, accumulate)
		return
	}
	panels := panelsOf(w.In)
	// Every unit turns its part of the weights round, so a unit takes as many rows as the team leaves it.
	rowsPerUnit := max(rows, 1)
	if panels < 2*k.Threads() {
		rowsPerUnit = ceil(ceil(rows, k.Threads()), rowBlock) * rowBlock
	}
	g := newGrid(k, rows, panels, to-from, rowsPerUnit)
	g.run(k, func(u unit, s *scratch) {
		for p := u.panel; p < u.panel+u.panels; p++ {
			k.mulTPanel(dx, dy, w, from, to, p, u, accumulate, s)
		}
	})
}

// mulTPanel computes columns 16p, ..., 16p+15 of dx.
func (k *Kernels) mulTPanel(dx, dy []float32, w *Matrix, from, to, p int, u unit, accumulate bool, s *scratch) {
	width := to - from
	for d := 0; d < max(width, 1); d += depthBlock {
		depth := min(depthBlock, width-d)
		k.turn(w, p, from+d, depth, s)
		for row := u.row; row < u.row+u.rows; row += rowBlock {
			b := block{
				a: dy[row*width+d:], lda: width,
				depth: depth, rows: min(rowBlock, u.row+u.rows-row),
				accumulate: accumulate || d > 0,
			}
			one := unit{row: row, rows: b.rows, panel: p, panels: 1}
			k.columns(b, dx, w.In, one, s.panel[:], s)
		}
	}
}

// turn writes s.panel[o-d][i-16p] = W[o][i] for o = d, ..., d+depth-1 and the 16 inputs of column panel p, missing ones zero.
func (k *Kernels) turn(w *Matrix, p, d, depth int, s *scratch) {
	const size = panelWidth * panelWidth
	inputs := min(panelWidth, w.In-p*panelWidth)
	for o := 0; o < depth; o += panelWidth {
		source := w.panel((d + o) / panelWidth)[p*size:]
		if inputs < panelWidth {
			clear(s.corner[copy(s.corner[:], source[:inputs*panelWidth]):])
			source = s.corner[:]
		}
		k.set.unpack(s.panel[o*panelWidth:][:size], source[:size])
	}
}

// columns runs b for the panels of u, the first of which has its weights at panels. c is the whole result [.., width]; a panel
// that width cuts off goes through a tile.
func (k *Kernels) columns(b block, c []float32, width int, u unit, panels []float32, s *scratch) {
	full := min(u.panels, width/panelWidth-u.panel)
	if full > 0 {
		b.b, b.panels = panels, full
		b.c, b.ldc = c[u.row*width+u.panel*panelWidth:], width
		k.set.multiply(b)
	}
	if full == u.panels {
		return
	}
	column := (u.panel + full) * panelWidth
	edge := c[u.row*width+column:]
	if b.accumulate {
		copyRows(s.tile[:], panelWidth, edge, width, b.rows, width-column)
	}
	b.b, b.panels = panels[full*b.ldb:], 1
	b.c, b.ldc = s.tile[:], panelWidth
	k.set.multiply(b)
	copyRows(edge, width, s.tile[:], panelWidth, b.rows, width-column)
}

// copyRows copies the first columns of each row.
func copyRows(dst []float32, ldd int, src []float32, lds, rows, columns int) {
	for r := range rows {
		copy(dst[r*ldd:][:columns], src[r*lds:][:columns])
	}
}
