package kernel

// directRows is the number of rows of dw up to which x is read in place: copying its columns together pays from there on.
const directRows = 16

// gradBlock is the number of rows of x that are brought together at a time.
const gradBlock = 512

// MulGrad computes dw += dyᵀ·x: dw [out, in], dy [rows, out], x [rows, in], row-major. Each element of dw is one chain over the
// rows in order that continues its value: rows spread over several calls give the bits of one call.
func (k *Kernels) MulGrad(dw, dy, x []float32, rows, out, in int) {
	mustHave("weight gradient", dw, out*in)
	mustHave("output gradient", dy, rows*out)
	mustHave("input", x, rows*in)
	if rows == 0 {
		return
	}
	g := newGrid(k, out, panelsOf(in), rows)
	g.run(k, func(u unit, s *scratch) {
		for p := u.panel; p < u.panel+u.panels; p++ {
			two := u.rows <= directRows && p+1 < min(u.panel+u.panels, in/panelWidth)
			for d := 0; d < rows; d += gradBlock {
				dy, x, depth := dy[d*out:], x[d*in:], min(gradBlock, rows-d)
				if two {
					k.gradTwo(dw, dy, x, depth, out, in, p, u)
				} else {
					k.gradPanel(dw, dy, x, depth, out, in, p, u, s)
				}
			}
			if two {
				p++
			}
		}
	})
}

// gradPanel adds depth rows to columns 16p, ..., 16p+15 of the rows of dw in u.
func (k *Kernels) gradPanel(dw, dy, x []float32, depth, out, in, p int, u unit, s *scratch) {
	column := p * panelWidth
	columns := min(panelWidth, in-column)
	b := outerBlock{b: x[column:], ldb: in, lda: out, depth: depth, panels: 1}
	if columns < panelWidth || u.rows > directRows {
		if columns < panelWidth {
			clear(s.panel[:depth*panelWidth]) // the padding's products are thrown away, but stale values would be slow if denormal
		}
		copyRows(s.panel[:], panelWidth, x[column:], in, depth, columns)
		b.b, b.ldb = s.panel[:], panelWidth
	}
	for row := u.row; row < u.row+u.rows; row += rowBlock {
		b.a, b.rows = dy[row:], min(rowBlock, u.row+u.rows-row)
		corner := dw[row*in+column:]
		if columns == panelWidth {
			b.c, b.ldc = corner, in
			k.set.outer(b)
			continue
		}
		clear(s.tile[:])
		copyRows(s.tile[:], panelWidth, corner, in, b.rows, columns)
		b.c, b.ldc = s.tile[:], panelWidth
		k.set.outer(b)
		copyRows(corner, in, s.tile[:], panelWidth, b.rows, columns)
	}
}

// gradTwo adds depth rows, read in place, to columns 16p, ..., 16p+31 of the rows of dw in u.
func (k *Kernels) gradTwo(dw, dy, x []float32, depth, out, in, p int, u unit) {
	column := p * panelWidth
	k.set.outer(outerBlock{c: dw[u.row*in+column:], a: dy[u.row:], b: x[column:], ldc: in, lda: out, ldb: in, depth: depth,
		rows: u.rows, panels: 2})
}
