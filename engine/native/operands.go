package native

import "parley/engine/native/kernel"

// Operands are what the products of attention's backward pass are made of: float32, or pairs of bfloat16 in a net of low precision.
// The scores themselves are computed as in the forward pass in either.
type operands interface {
	// panels have the keys that scores are computed with.
	panels() *panels
	// queries are the left operand of that product.
	queries(w backwardScratch) []float32
	// rows is how many rows of words the operands of n queries take that a block keeps.
	rows(n int) int
	// open makes room for a block.
	open(s *backwardBlock) backwardScratch
	// scores computes w.ds = dout·vᵀ.
	scores(l *queryBlock, w backwardScratch)
	// sum computes w.out = ds·k.
	sum(l *queryBlock, w backwardScratch)
	// keep leaves the block's operands of dv and dk.
	keep(s *backwardBlock, w backwardScratch)
	// outer is c[rows][16·panels] += aᵀ·b for what was kept.
	outer(c []float32, ldc int, a []float32, lda, rows, depth int, b []float32, ldb, panels int)
}

func (c *computation) operands(i int, a *activations) operands {
	if c.net.lowPrecision {
		return &pairOperands{c, c.panels(i, a.k, nil), c.pairPanels(a.v, a.k)}
	}
	return &floatOperands{c, c.panels(i, a.k, nil), c.panels(i, a.v, a.k)}
}

// A backwardScratch is what a block computes with, in float32: weights and gradients of scores, [queries, width], queries, gradients of
// outputs and of queries, [queries, padded dim], and the sums of the weights.
type backwardScratch struct {
	p, ds, q, dout, out, sums []float32
	words                     []float32 // for rounded operands
	pool                      *scratchPool
	scratch                   *scratch
}

func (w backwardScratch) close() { w.pool.put(w.scratch) }

// floatOperands are those of a net in float32.
type floatOperands struct {
	*computation
	keys, values *panels // each transposed; the second has the keys' rows
}

func (o *floatOperands) panels() *panels { return o.keys }

func (o *floatOperands) queries(w backwardScratch) []float32 { return w.q }

func (o *floatOperands) rows(n int) int { return n }

// open lets the block compute what it keeps in place.
func (o *floatOperands) open(s *backwardBlock) backwardScratch {
	n, wide := s.queries(), o.shape.paddedDim()
	scratch := o.scratch.get(n * (wide + 1))
	buf := cutter(scratch.floats)
	return backwardScratch{p: s.p, ds: s.ds, q: s.q, dout: s.dout, out: buf.cut(n * wide), sums: buf.cut(n), pool: o.scratch, scratch: scratch}
}

func (o *floatOperands) scores(l *queryBlock, w backwardScratch) {
	o.score(l, w.ds, w.dout, l.locate(w.scratch, o.values))
}

func (o *floatOperands) sum(l *queryBlock, w backwardScratch) {
	o.computation.weightedSum(l, w.out, w.ds, l.locate(w.scratch, o.values))
}

func (o *floatOperands) keep(*backwardBlock, backwardScratch) {}

func (o *floatOperands) outer(c []float32, ldc int, a []float32, lda, rows, depth int, b []float32, ldb, panels int) {
	o.k.OuterPanels(c, ldc, a, lda, rows, depth, b, ldb, panels)
}

// pairOperands are those of a net of low precision.
type pairOperands struct {
	*computation
	keys  *panels
	pairs *pairPanels
}

func (o *pairOperands) panels() *panels { return o.keys }

// queries take the room of what comes later.
func (o *pairOperands) queries(w backwardScratch) []float32 {
	o.roundQueries(w.out, w.q, len(w.sums))
	return w.out
}

func (o *pairOperands) rows(n int) int { return o.k.PairWords(n) }

// open has a row of zeros behind those of an odd number of queries.
func (o *pairOperands) open(s *backwardBlock) backwardScratch {
	n, wide := s.queries(), o.shape.paddedDim()
	rows := (n + 1) / 2 * 2
	deep := max(o.k.PairWords(o.shape.HeadDim), o.k.PairWords(min(maxRangeKeys, s.width)+1))
	w := backwardScratch{pool: o.scratch, scratch: o.scratch.get(rows*(2*s.width+2*wide) + n*(wide+1+deep))}
	buf := cutter(w.scratch.floats)
	w.p, w.ds, w.q, w.dout = buf.cut(rows*s.width), buf.cut(rows*s.width), buf.cut(rows*wide), buf.cut(rows*wide)
	w.out, w.sums, w.words = buf.cut(n*wide), buf.cut(n), buf.cut(n*deep)
	if rows > n {
		clear(row(w.p, n, s.width))
		clear(row(w.ds, n, s.width))
		clear(row(w.q, n, wide))
		clear(row(w.dout, n, wide))
	}
	return w
}

func (o *pairOperands) scores(l *queryBlock, w backwardScratch) {
	d, wide, deep := o.shape.HeadDim, o.shape.paddedDim(), o.pairs.headWords
	for r := range l.queries() {
		o.k.RoundPairs(w.words[r*deep:], row(w.dout, r, wide)[:d])
	}
	l.eachRange(func(v keyRange) {
		first := v.segment.slot
		from := (first + v.from) &^ (kernel.PanelWidth - 1)
		n := (first + v.to - from + kernel.PanelWidth - 1) / kernel.PanelWidth
		o.k.MulPairs(w.ds[v.row*l.width+l.column(v.segment.start+from-first):], l.width, w.words[v.row*deep:], deep, v.rows, deep,
			o.pairs.valuesOf(l.kv, from), kernel.PanelWidth*deep, n, false)
	})
}

// sum pairs the keys of a segment as they lie in their panels: where a range begins with the second of a pair, the first one
// gets no weight.
func (o *pairOperands) sum(l *queryBlock, w backwardScratch) {
	clear(w.out)
	wide := o.shape.paddedDim()
	l.eachRange(func(v keyRange) {
		at := v.segment.slot + v.from
		alone := at % 2
		deep := o.k.PairWords(alone + v.to - v.from)
		for r := range v.rows {
			x := row(w.ds, v.row+r, l.width)[l.column(v.segment.start+v.from)-alone:][:alone+v.to-v.from]
			before := x[0]
			if alone == 1 {
				x[0] = 0
			}
			o.k.RoundPairs(w.words[r*deep:], x)
			x[0] = before
		}
		o.k.MulPairs(w.out[v.row*wide:], wide, w.words, deep, v.rows, deep, o.pairs.keysOf(o.computation, l.kv, at-alone),
			o.pairs.capacityWords*kernel.PanelWidth, wide/kernel.PanelWidth, true)
	})
}

func (o *pairOperands) keep(s *backwardBlock, w backwardScratch) {
	wide, pair := o.shape.paddedDim(), o.k.PairWords(2)
	for r := 0; 2*r < s.queries(); r++ {
		for _, x := range []struct {
			to, from []float32
			width    int
		}{{s.p, w.p, s.width}, {s.ds, w.ds, s.width}, {s.q, w.q, wide}, {s.dout, w.dout, wide}} {
			o.k.RoundRowPairs(x.to[r*pair*x.width:], x.width, row(x.from, 2*r, x.width), row(x.from, 2*r+1, x.width))
		}
	}
}

func (o *pairOperands) outer(c []float32, ldc int, a []float32, lda, rows, depth int, b []float32, ldb, panels int) {
	o.k.OuterPairs(c, ldc, a, lda, rows, depth, b, ldb, panels)
}
