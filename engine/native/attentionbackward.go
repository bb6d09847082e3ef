package native

import "parley/engine/native/kernel"

// stripFloats is about how many values the blocks of a strip keep between its two halves.
const stripFloats = 1 << 20

// keysAtATime is how many keys of one head a thread takes.
const keysAtATime = 240

// attendBackward takes datt to dq, dk and dv, which it overwrites. With s = q·kᵀ/sqrt(d), p = softmax(s) and out = p·v:
//
//	dv = pᵀ·dout,  ds = p·(dout·vᵀ - dout·out),  dq = ds·k/sqrt(d),  dk = dsᵀ·q/sqrt(d)
//
// where p is computed again. The gradients of a key come from all rows that see it, also in other segments: they are chains
// over the rows in packed order. So the blocks go through in strips: first, each block on a thread of its own, p, ds and dq;
// then, each piece of the keys on a thread of its own, what the strip's blocks add to dk and dv, one block after another.
func (c *computation) attendBackward(i int, a *activations, datt, dq, dk, dv []float32) {
	before := c.arena.mark
	b := &backwardPass{computation: c, a: a, datt: datt, dq: dq, operands: c.operands(i, a)}
	n := c.shape.KVHeads * c.pass.rows() * c.shape.paddedDim()
	b.dk, b.dv = c.zeros(n), c.zeros(n)
	if c.blocks == nil {
		c.blocks = c.pass.blocks(c.shape)
	}
	first := func(j int) { b.scores(&c.lender.strip[j]) }
	second := func(j int) { b.pieces(j/c.shape.KVHeads, j%c.shape.KVHeads) }
	for blocks := c.blocks; len(blocks) > 0; {
		mark := c.arena.mark
		blocks = b.nextStrip(i, blocks)
		c.k.Run(len(c.lender.strip), first)
		c.k.Run(len(c.lender.piecesOf())*c.shape.KVHeads, second)
		c.arena.release(mark)
	}
	c.unpad(dk, b.dk)
	c.unpad(dv, b.dv)
	c.arena.release(before)
}

// A backwardPass is one layer's attention on the way back.
type backwardPass struct {
	*computation
	a        *activations
	datt, dq []float32
	operands operands
	dk, dv   []float32 // [kv heads, rows, padded dim]
}

// A backwardBlock is a block and a key head, and what the first half of a strip leaves of it for the second, the left and right
// operands of dv and dk: weights and gradients of scores, [queries, width], and gradients of outputs and queries, [queries,
// padded dim]. Weights are not divided by their sum; dout is instead.
type backwardBlock struct {
	look
	p, ds, q, dout []float32
}

// nextStrip makes a strip of as many of the blocks as fit, at least one, and returns the rest.
func (b *backwardPass) nextStrip(layer int, blocks []block) (rest []block) {
	heads, wide := b.shape.KVHeads, b.shape.paddedDim()
	strip := b.lender.strip[:0]
	for floats := 0; len(blocks) > 0; blocks = blocks[1:] {
		l := b.look(layer, &blocks[0], 0)
		n := b.operands.rows(l.queries())
		if floats += heads * n * 2 * (l.width + wide); floats > stripFloats && len(strip) > 0 {
			break
		}
		for l.kv = range heads {
			buf := cutter(b.arena.floats(n * 2 * (l.width + wide)))
			strip = append(strip, backwardBlock{l, buf.cut(n * l.width), buf.cut(n * l.width), buf.cut(n * wide), buf.cut(n * wide)})
		}
	}
	b.lender.strip = strip
	return blocks
}

// pieces adds to the gradients of a piece of a head's keys what all blocks of the strip have for them.
func (b *backwardPass) pieces(piece, head int) {
	strip := b.lender.strip
	for at := head; at < len(strip); at += b.shape.KVHeads {
		b.piece(&strip[at], b.lender.pieces[piece])
	}
}

// scores computes what a block keeps, and its dq.
func (b *backwardPass) scores(s *backwardBlock) {
	l, n, d, wide := &s.look, s.look.queries(), b.shape.HeadDim, b.shape.paddedDim()
	w := b.operands.open(s)
	defer w.close()
	b.gather(w.q, b.a.q, l, b.attentionScale())
	b.gather(w.dout, b.datt, l, 1)
	b.weigh(l, w.p, b.operands.queries(w), l.places(w.loan, b.operands.panels()), w.sums)
	for r, sum := range w.sums {
		b.k.Scale(row(w.dout, r, wide), 1/sum)
	}
	b.operands.scores(l, w)
	for r := range n {
		from, to := l.seen(r / l.group)
		ds, p := row(w.ds, r, l.width), row(w.p, r, l.width)
		b.k.SoftmaxGrad(ds[from:to], p[from:to], b.k.Dot(row(w.dout, r, wide)[:d], row(b.a.att, l.head(b.shape, r), d)))
		l.blank(ds, from, to)
	}
	b.operands.sum(l, w)
	b.k.Scale(w.out, b.attentionScale())
	b.scatter(b.dq, w.out, l)
	b.operands.keep(s, w)
}

// A keyPiece is a run of keys, from, ..., to-1 of a segment.
type keyPiece struct {
	segment  *segment
	from, to int
}

// piecesOf lists what the blocks of the strip see, in pieces of keysAtATime.
func (l *lender) piecesOf() []keyPiece {
	if l.ends == nil {
		l.ends = map[*segment]int{}
	}
	clear(l.ends)
	l.pieces = l.pieces[:0]
	add := func(v view) {
		from := l.ends[v.segment]
		for ; from < v.to; from += keysAtATime {
			l.pieces = append(l.pieces, keyPiece{v.segment, from, from + keysAtATime})
		}
		l.ends[v.segment] = from
	}
	for i := range l.strip {
		l.strip[i].each(add)
	}
	return l.pieces
}

// piece adds to the gradients of some keys what a block has for them.
func (b *backwardPass) piece(s *backwardBlock, p keyPiece) {
	wide, n := b.shape.paddedDim(), b.operands.rows(s.queries())
	s.each(func(v view) {
		from, to := max(p.from, v.from), min(p.to, v.to)
		if v.segment != p.segment || from >= to {
			return
		}
		first := (s.kv*b.pass.rows() + p.segment.row + from) * wide
		column := s.column(p.segment.start + from)
		b.operands.outer(b.dv[first:], wide, s.p[column:], s.width, to-from, n, s.dout, wide, wide/kernel.PanelWidth)
		b.operands.outer(b.dk[first:], wide, s.ds[column:], s.width, to-from, n, s.q, wide, wide/kernel.PanelWidth)
	})
}

// unpad copies [kv heads, rows, padded dim] to [rows, kv heads·dim].
func (c *computation) unpad(to, from []float32) {
	d, wide, n, heads := c.shape.HeadDim, c.shape.paddedDim(), c.pass.rows(), c.shape.KVHeads
	c.spread(n, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			for h := range heads {
				copy(row(to, r*heads+h, d), row(from, h*n+r, wide))
			}
		}
	})
}
