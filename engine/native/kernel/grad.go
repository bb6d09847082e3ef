package kernel

const (
	// gradBlock is the number of rows of x that are brought together at a time.
	gradBlock = 256
	// gradPanels is how many panels of them: as wide as the widest tile.
	gradPanels = 2
)

// MulGrad computes dw += dyᵀ·x: dw [out, in], dy [rows, out], x [rows, in], row-major. Each element of dw is one chain over the
// rows in order that continues its value: rows spread over several calls give the bits of one call.
func (k *Kernels) MulGrad(dw, dy, x []float32, rows, out, in int) {
	mustHave("weight gradient", dw, out*in)
	mustHave("output gradient", dy, rows*out)
	mustHave("input", x, rows*in)
	switch {
	case rows == 0, out == 0, in == 0:
	case in < out && in <= smallMRows:
		k.gradSmallN(dw, dy, x, rows, out, in)
	case out <= smallMRows:
		k.gradSmallM(dw, dy, x, rows, out, in)
	default:
		g := newGrid(k, out, panelsOf(in), rows)
		g.run(k, func(i int) {
			s, u := scratchPool.Get().(*scratch), g.unit(i)
			defer scratchPool.Put(s)
			for n, p := gradPanels, u.panel; p < u.panel+u.panels; p += n {
				here := unit{u.row, u.rows, p, min(n, u.panel+u.panels-p)}
				for d := 0; d < rows; d += gradBlock {
					gradUnit(k.set.outer, dw, dy[d*out:], x[d*in:], min(gradBlock, rows-d), out, in, here, s)
				}
			}
		})
	}
}

// gradUnit adds depth rows to the rows and panels of dw in u, of which there are at most gradPanels.
func gradUnit(outer func(outerBlock), dw, dy, x []float32, depth, out, in int, u unit, s *scratch) {
	column, wide := u.panel*panelWidth, u.panels*panelWidth
	columns := min(wide, in-column)
	b := outerBlock{lda: out, depth: depth, panels: u.panels}
	if columns < wide {
		clear(s.panel[:depth*wide]) // the padding's products are thrown away, but stale values would be slow if denormal
	}
	copyRows(s.panel[:], wide, x[column:], in, depth, columns)
	b.b, b.ldb = s.panel[:], wide
	for row := u.row; row < u.row+u.rows; row += rowBlock {
		b.a, b.rows = dy[row:], min(rowBlock, u.row+u.rows-row)
		corner := dw[row*in+column:]
		if columns == wide {
			b.c, b.ldc = corner, in
			outer(b)
			continue
		}
		clear(s.tile[:])
		copyRows(s.tile[:], wide, corner, in, b.rows, columns)
		b.c, b.ldc = s.tile[:], wide
		outer(b)
		copyRows(corner, in, s.tile[:], wide, b.rows, columns)
	}
}
