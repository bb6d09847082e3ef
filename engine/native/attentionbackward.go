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
	b := &backwardPass{computation: c, a: a, datt: datt, dq: dq, keys: c.panels(i, a.k, a.v), values: c.panels(i, a.v, a.k)}
	n := c.config.KVHeads * c.pass.rows() * c.config.paddedDim()
	b.dk, b.dv = c.zeros(n), c.zeros(n)
	if c.blocks == nil {
		c.blocks = c.pass.blocks(c.config)
	}
	for blocks := c.blocks; len(blocks) > 0; {
		mark := c.arena.mark
		blocks = b.strip(i, blocks)
		c.arena.release(mark)
	}
	c.unpad(dk, b.dk)
	c.unpad(dv, b.dv)
	c.arena.release(before)
}

// A backwardPass is one layer's attention on the way back.
type backwardPass struct {
	*computation
	a            *activations
	datt, dq     []float32
	keys, values *panels   // each turned, and the keys' rows
	dk, dv       []float32 // [kv heads, rows, padded dim]
}

// A backwardBlock is what the first half of a strip leaves of a block and a key head for the second: weights and gradients of
// scores, [queries, width], and queries and gradients of outputs, [queries, padded dim]. Weights are not divided by their
// sum; dout is instead.
type backwardBlock struct {
	look
	p, ds, q, dout []float32
}

// strip takes as many of the blocks as fit, at least one, through both halves, and returns the rest.
func (b *backwardPass) strip(layer int, blocks []block) (rest []block) {
	heads, wide := b.config.KVHeads, b.config.paddedDim()
	strip := b.lender.strip[:0]
	for floats := 0; len(blocks) > 0; blocks = blocks[1:] {
		l := b.look(layer, &blocks[0], 0)
		n := l.queries()
		if floats += heads * n * 2 * (l.width + wide); floats > stripFloats && len(strip) > 0 {
			break
		}
		for l.kv = range heads {
			buf := cutter(b.arena.floats(n * 2 * (l.width + wide)))
			strip = append(strip, backwardBlock{l, buf.cut(n * l.width), buf.cut(n * l.width), buf.cut(n * wide), buf.cut(n * wide)})
		}
	}
	b.lender.strip = strip
	b.k.Run(len(strip), func(j int) { b.scores(&strip[j]) })
	pieces := b.lender.piecesOf(strip)
	b.k.Run(len(pieces)*heads, func(j int) {
		for at := j % heads; at < len(strip); at += heads {
			b.piece(&strip[at], pieces[j/heads])
		}
	})
	return blocks
}

// scores computes what a block keeps, and its dq.
func (b *backwardPass) scores(s *backwardBlock) {
	l, n, d, wide := &s.look, s.look.queries(), b.config.HeadDim, b.config.paddedDim()
	loan := b.lender.borrow(n * (wide + 1))
	defer b.lender.giveBack(loan)
	out, sums := loan.floats[:n*wide], loan.floats[n*wide:]
	b.gather(s.q, b.a.q, l, b.attentionScale())
	b.gather(s.dout, b.datt, l, 1)
	b.weigh(l, s.p, s.q, b.keys, sums)
	for r, sum := range sums {
		b.k.Scale(row(s.dout, r, wide), 1/sum)
	}
	b.score(l, s.ds, s.dout, b.values)
	for r := range n {
		from, to := l.seen(r / l.group)
		ds, p := row(s.ds, r, l.width), row(s.p, r, l.width)
		b.k.SoftmaxGrad(ds[from:to], p[from:to], b.k.Dot(row(s.dout, r, wide)[:d], row(b.a.att, l.head(b.config, r), d)))
		l.blank(ds, from, to)
	}
	b.sum(l, out, s.ds, b.values)
	b.k.Scale(out, b.attentionScale())
	b.scatter(b.dq, out, l)
}

// A keyPiece is a run of keys, from, ..., to-1 of a segment.
type keyPiece struct {
	segment  *segment
	from, to int
}

// piecesOf lists what the blocks of a strip see, in pieces of keysAtATime.
func (l *lender) piecesOf(strip []backwardBlock) []keyPiece {
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
	for i := range strip {
		strip[i].each(add)
	}
	return l.pieces
}

// piece adds to the gradients of some keys what a block has for them.
func (b *backwardPass) piece(s *backwardBlock, p keyPiece) {
	wide, n := b.config.paddedDim(), s.queries()
	s.each(func(v view) {
		from, to := max(p.from, v.from), min(p.to, v.to)
		if v.segment != p.segment || from >= to {
			return
		}
		first := (s.kv*b.pass.rows() + p.segment.row + from) * wide
		column := s.column(p.segment.start + from)
		b.k.OuterPanels(b.dv[first:], wide, s.p[column:], s.width, to-from, n, s.dout, wide, wide/kernel.PanelWidth)
		b.k.OuterPanels(b.dk[first:], wide, s.ds[column:], s.width, to-from, n, s.q, wide, wide/kernel.PanelWidth)
	})
}

// unpad copies [kv heads, rows, padded dim] to [rows, kv heads·dim].
func (c *computation) unpad(to, from []float32) {
	d, wide, n, heads := c.config.HeadDim, c.config.paddedDim(), c.pass.rows(), c.config.KVHeads
	c.spread(n, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			for h := range heads {
				copy(row(to, r*heads+h, d), row(from, h*n+r, wide))
			}
		}
	})
}
