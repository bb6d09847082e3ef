package native

import "parley/engine/native/kernel"

// blockGroupFloats is about how many values a group of blocks keeps between its two halves.
const blockGroupFloats = 1 << 20

// keyTileSize is how many keys of one head a thread takes at a time.
const keyTileSize = 240

// attendBackward takes datt to dq, dk and dv, which it overwrites. With s = q·kᵀ/sqrt(d), p = softmax(s) and out = p·v:
//
//	dv = pᵀ·dout,  ds = p·(dout·vᵀ - dout·out),  dq = ds·k/sqrt(d),  dk = dsᵀ·q/sqrt(d)
//
// where p is computed again. The gradients of a key come from all rows that see it, also in other segments: they are chains
// over the rows in packed order. So the blocks go through in groups: first, each block on a thread of its own, p, ds and dq;
// then, each tile of the keys on a thread of its own, whin the group's blocks add to dk and dv, one block after another.
func (c *computation) attendBackward(i int, a *activations, datt, dq, dk, dv []float32) {
	before := c.arena.mark
	b := &backwardPass{computation: c, a: a, datt: datt, dq: dq, operands: c.operands(i, a)}
	n := c.shape.KVHeads * c.pass.rows() * c.shape.paddedDim()
	b.dk, b.dv = c.zeros(n), c.zeros(n)
	if c.backwardBlocks == nil {
		c.backwardBlocks = c.pass.blocks(c.shape)
	}
	first := func(j int) { b.scores(&c.scratch.blockGroup[j]) }
	second := func(j int) { b.addKeyTile(j/c.shape.KVHeads, j%c.shape.KVHeads) }
	for blocks := c.backwardBlocks; len(blocks) > 0; {
		mark := c.arena.mark
		blocks = b.nextGroup(i, blocks)
		c.k.Run(len(c.scratch.blockGroup), first)
		c.k.Run(len(c.scratch.cutKeyTiles())*c.shape.KVHeads, second)
		c.arena.release(mark)
	}
	c.unpad(dk, b.dk)
	c.unpad(dv, b.dv)
	c.arena.release(before)
}

// A backwardPass is one layer's attention in the backward pass.
type backwardPass struct {
	*computation
	a        *activations
	datt, dq []float32
	operands operands
	dk, dv   []float32 // [kv heads, rows, padded dim]
}

// A backwardBlock is a block and a key head, and what the first half of a group leaves of it for the second, the left and right
// operands of dv and dk: weights and gradients of scores, [queries, width], and gradients of outputs and queries, [queries,
// padded dim]. Weights are not divided by their sum; dout is instead.
type backwardBlock struct {
	queryBlock
	p, ds, q, dout []float32
}

// nextGroup makes a group of as many of the blocks as fit, at least one, and returns the rest.
func (b *backwardPass) nextGroup(layer int, blocks []rowBlock) (rest []rowBlock) {
	heads, wide := b.shape.KVHeads, b.shape.paddedDim()
	group := b.scratch.blockGroup[:0]
	for floats := 0; len(blocks) > 0; blocks = blocks[1:] {
		l := b.queryBlock(layer, &blocks[0], 0)
		n := b.operands.rows(l.queries())
		if floats += heads * n * 2 * (l.width + wide); floats > blockGroupFloats && len(group) > 0 {
			break
		}
		for l.kv = range heads {
			buf := cutter(b.arena.floats(n * 2 * (l.width + wide)))
			group = append(group, backwardBlock{l, buf.cut(n * l.width), buf.cut(n * l.width), buf.cut(n * wide), buf.cut(n * wide)})
		}
	}
	b.scratch.blockGroup = group
	return blocks
}

// addKeyTile adds to the gradients of a tile of a head's keys what all blocks of the group have for them.
func (b *backwardPass) addKeyTile(tile, head int) {
	group := b.scratch.blockGroup
	for at := head; at < len(group); at += b.shape.KVHeads {
		b.addBlock(&group[at], b.scratch.keyTiles[tile])
	}
}

// scores computes what a block keeps, and its dq.
func (b *backwardPass) scores(s *backwardBlock) {
	l, n, d, wide := &s.queryBlock, s.queryBlock.queries(), b.shape.HeadDim, b.shape.paddedDim()
	w := b.operands.open(s)
	defer w.close()
	b.gather(w.q, b.a.q, l, b.attentionScale())
	b.gather(w.dout, b.datt, l, 1)
	var slopes []float32
	if b.shape.Caps.Attention > 0 {
		memory := b.computation.scratch.get(n * l.width)
		defer b.computation.scratch.put(memory)
		slopes = memory.floats[:n*l.width]
	}
	b.softmaxWeights(l, w.p, b.operands.queries(w), l.locate(w.scratch, b.operands.panels()), w.sums, slopes)
	for r, sum := range w.sums {
		b.k.Scale(row(w.dout, r, wide), 1/sum)
	}
	b.operands.scores(l, w)
	for r := range n {
		from, to := l.visible(r / l.group)
		ds, p := row(w.ds, r, l.width), row(w.p, r, l.width)
		b.k.SoftmaxGrad(ds[from:to], p[from:to], b.k.Dot(row(w.dout, r, wide)[:d], row(b.a.att, l.head(b.shape, r), d)))
		if slopes != nil {
			multiply(ds[from:to], row(slopes, r, l.width)[from:to])
		}
		l.clearInvisible(ds, from, to)
	}
	b.operands.sum(l, w)
	b.k.Scale(w.out, b.attentionScale())
	b.scatter(b.dq, w.out, l)
	b.operands.keep(s, w)
}

// A keyTile is a run of keys, from, ..., to-1 of a segment.
type keyTile struct {
	segment  *segment
	from, to int
}

// cutKeyTiles lists the keys that the blocks of the group see, in tiles of keyTileSize.
func (l *scratchPool) cutKeyTiles() []keyTile {
	if l.ends == nil {
		l.ends = map[*segment]int{}
	}
	clear(l.ends)
	l.keyTiles = l.keyTiles[:0]
	add := func(v keyRange) {
		from := l.ends[v.segment]
		for ; from < v.to; from += keyTileSize {
			l.keyTiles = append(l.keyTiles, keyTile{v.segment, from, from + keyTileSize})
		}
		l.ends[v.segment] = from
	}
	for i := range l.blockGroup {
		l.blockGroup[i].eachRange(add)
	}
	return l.keyTiles
}

// addBlock adds to the gradients of some keys what a block has for them.
func (b *backwardPass) addBlock(s *backwardBlock, p keyTile) {
	wide, n := b.shape.paddedDim(), b.operands.rows(s.queries())
	s.eachRange(func(v keyRange) {
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
	c.parallel(n, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			for h := range heads {
				copy(row(to, r*heads+h, d), row(from, h*n+r, wide))
			}
		}
	})
}
