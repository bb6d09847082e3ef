package kernel

// gradBlock is the number of rows of x that are brought together at a time.
const gradBlock = 512

// MulGrad computes dw += dyᵀ·x: dw [out, in], dy [rows, out], x [rows, in], row-major. Each element of dw is one chain over the
// rows in order that continues its value: rows spread over several calls give the bits of one call.
func (k *Kernels) MulGrad(dw, dy, x []float32, rows, out, in int) {
	mustHave("weight gradient", dw, out*in)
	mustHave("output gradient", dy, rows*out)
	mustHave("input", x, rows*in)
	switch {
	case rows == 0, out == 0, in == 0:
	case in < out && in <= thinRows:
		k.gradTurned(dw, dy, x, rows, out, in)
	case out <= thinRows:
		k.gradThin(dw, dy, x, rows, out, in)
	default:
		g := newGrid(k, out, panelsOf(in), rows)
		g.run(k, func(i int) {
			s, u := scratchPool.Get().(*scratch), g.unit(i)
			defer scratchPool.Put(s)
			for p := u.panel; p < u.panel+u.panels; p++ {
				for d := 0; d < rows; d += gradBlock {
					gradPanel(k.set.outer, dw, dy[d*out:], x[d*in:], min(gradBlock, rows-d), out, in, p, u, s)
				}
			}
		})
	}
}

// gradPanel adds depth rows to columns 16p, ..., 16p+15 of the rows of dw in u.
func gradPanel(outer func(outerBlock), dw, dy, x []float32, depth, out, in, p int, u unit, s *scratch) {
	column := p * panelWidth
	columns := min(panelWidth, in-column)
	b := outerBlock{lda: out, depth: depth, panels: 1}
	if columns < panelWidth {
		clear(s.panel[:depth*panelWidth]) // the padding's products are thrown away, but stale values would be slow if denormal
	}
	copyRows(s.panel[:], panelWidth, x[column:], in, depth, columns)
	b.b, b.ldb = s.panel[:], panelWidth
	for row := u.row; row < u.row+u.rows; row += rowBlock {
		b.a, b.rows = dy[row:], min(rowBlock, u.row+u.rows-row)
		corner := dw[row*in+column:]
		if columns == panelWidth {
			b.c, b.ldc = corner, in
			outer(b)
			continue
		}
		clear(s.tile[:])
		copyRows(s.tile[:], panelWidth, corner, in, b.rows, columns)
		b.c, b.ldc = s.tile[:], panelWidth
		outer(b)
		copyRows(corner, in, s.tile[:], panelWidth, b.rows, columns)
	}
}
