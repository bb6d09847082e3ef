package kernel

// A product of low precision is a float32 product of operands that are rounded to bfloat16. Depth is taken in pairs, the odd
// element first, as the processor's instruction for pairs of bfloat16 does; an odd depth is filled up with a zero.

// lowMul is mul for weights of low precision.
func (k *Kernels) lowMul(y, x []float32, rows int, w *Matrix, from, to int, accumulate bool) {
	depth, width := w.In, to-from
	a := k.lowRows(x, rows, depth, nil)
	g := newGrid(k, rows, panelsOf(width), depth, max(rows, 1))
	g.run(k, func(u unit, s *scratch) {
		for p := u.panel; p < u.panel+u.panels; p++ {
			panel := s.lowPanel(even(depth))
			w.low.widen(panel, from/panelWidth+p, 0, depth)
			lowPairs(panel, depth)
			k.lowPanel(y, width, a, depth, p, u, panel, w.low.steps(from/panelWidth+p), accumulate, s)
		}
	})
}

// lowMulT is MulTColumns for weights of low precision. The steps of int8 multiply dy.
func (k *Kernels) lowMulT(dx, dy []float32, rows int, w *Matrix, from, to int, accumulate bool) {
	depth := to - from
	var steps []float32
	for p := from / panelWidth; p < panelsOf(to); p++ {
		steps = append(steps, w.low.steps(p)...)
	}
	a := k.lowRows(dy, rows, depth, steps)
	g := newGrid(k, rows, panelsOf(w.In), depth, max(rows, 1))
	g.run(k, func(u unit, s *scratch) {
		for p := u.panel; p < u.panel+u.panels; p++ {
			panel := s.lowPanel(ceil(depth, panelWidth) * panelWidth)
			for o := 0; o < depth; o += panelWidth {
				inputs := min(panelWidth, w.In-p*panelWidth)
				clear(s.corner[:])
				w.low.widen(s.corner[:], (from+o)/panelWidth, p*panelWidth, inputs)
				k.set.unpack(panel[o*panelWidth:], s.corner[:])
			}
			lowPairs(panel, depth)
			k.lowPanel(dx, w.In, a, depth, p, u, panel, nil, accumulate, s)
		}
	})
}

func even(n int) int { return n + n%2 }

// lowRows rounds x [rows, depth], times the steps of its columns if there are any, and swaps its pairs: [rows, even depth].
func (k *Kernels) lowRows(x []float32, rows, depth int, steps []float32) []float32 {
	a := make([]float32, rows*even(depth))
	k.Run(rows, func(r int) {
		row := a[r*even(depth):]
		for i, v := range x[r*depth:][:depth] {
			if steps != nil {
				v *= steps[i]
			}
			row[i^1] = roundBF16(v)
		}
	})
	return a
}

// lowPairs rounds the first depth rows of a panel and swaps those of each pair.
func lowPairs(panel []float32, depth int) {
	clear(panel[depth*panelWidth : even(depth)*panelWidth])
	for i := 0; i < depth; i += 2 {
		pair := panel[i*panelWidth:][:2*panelWidth]
		for j := range panelWidth {
			pair[j], pair[panelWidth+j] = roundBF16(pair[panelWidth+j]), roundBF16(pair[j])
		}
	}
}

// lowPanel computes the columns of one panel of the result c [.., width].
func (k *Kernels) lowPanel(c []float32, width int, a []float32, depth, p int, u unit, panel, steps []float32, accumulate bool, s *scratch) {
	column := p * panelWidth
	columns := min(panelWidth, width-column)
	for row := u.row; row < u.row+u.rows; row += rowBlock {
		b := block{
			c: s.tile[:], ldc: panelWidth, a: a[row*even(depth):], lda: even(depth), b: panel, ldb: even(depth) * panelWidth,
			depth: even(depth), rows: min(rowBlock, u.row+u.rows-row), panels: 1, accumulate: accumulate && steps == nil,
		}
		corner := c[row*width+column:]
		if b.accumulate {
			copyRows(s.tile[:], panelWidth, corner, width, b.rows, columns)
		}
		genericLowMultiply(b)
		if steps == nil {
			copyRows(corner, width, s.tile[:], panelWidth, b.rows, columns)
			continue
		}
		for r := range b.rows {
			for j := range columns {
				v := s.tile[r*panelWidth+j] * steps[j]
				if accumulate {
					v += corner[r*width+j]
				}
				corner[r*width+j] = v
			}
		}
	}
}

// genericLowMultiply is genericMultiply with denormal results made zero.
func genericLowMultiply(b block) {
	for p := range b.panels {
		for r := range b.rows {
			c := b.c[r*b.ldc+p*panelWidth:][:panelWidth]
			if !b.accumulate {
				clear(c)
			}
			for i, v := range b.a[r*b.lda:][:b.depth] {
				w := b.b[p*b.ldb+i*panelWidth:][:panelWidth]
				for j := range c {
					c[j] = flush(mulAdd(v, w[j], c[j]))
				}
			}
		}
	}
}
