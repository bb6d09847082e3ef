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
	mustHave("product", y, rows*w.Out)
	mustHave("left operand", x, rows*w.In)
	panels := panelsOf(w.Out)
	g := newGrid(k, rows, panels, w.In, rowBlock)
	g.run(k, func(u unit, s *scratch) {
		for d := 0; d < max(w.In, 1); d += depthBlock {
			b := block{
				a: x[u.row*w.In+d:], lda: w.In,
				ldb:   w.In * panelWidth,
				depth: min(depthBlock, w.In-d), rows: u.rows,
				accumulate: accumulate || d > 0,
			}
			k.columns(b, y, w.Out, u, w.panels[u.panel*b.ldb+d*panelWidth:], s)
		}
	})
}

// MulT computes dx (+)= dy·W: dx [rows, w.In], dy [rows, w.Out], row-major. Without accumulate dx is overwritten.
func (k *Kernels) MulT(dx, dy []float32, rows int, w *Matrix, accumulate bool) {
	mustHave("product", dx, rows*w.In)
	mustHave("left operand", dy, rows*w.Out)
	panels := panelsOf(w.In)
	// Every unit turns its part of the weights round, so a unit takes as many rows as the team leaves it.
	rowsPerUnit := max(rows, 1)
	if panels < 2*k.Threads() {
		rowsPerUnit = ceil(ceil(rows, k.Threads()), rowBlock) * rowBlock
	}
	g := newGrid(k, rows, panels, w.Out, rowsPerUnit)
	g.run(k, func(u unit, s *scratch) {
		for p := u.panel; p < u.panel+u.panels; p++ {
			k.mulTPanel(dx, dy, w, p, u, accumulate, s)
		}
	})
}

// mulTPanel computes columns 16p, ..., 16p+15 of dx.
func (k *Kernels) mulTPanel(dx, dy []float32, w *Matrix, p int, u unit, accumulate bool, s *scratch) {
	for d := 0; d < max(w.Out, 1); d += depthBlock {
		depth := min(depthBlock, w.Out-d)
		k.turn(w, p, d, depth, s)
		for row := u.row; row < u.row+u.rows; row += rowBlock {
			b := block{
				a: dy[row*w.Out+d:], lda: w.Out,
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
