package native

import (
	"parley/engine/native/kernel"
)

// attend computes a.att: for every row and head the values, weighted by the softmax over the keys that the row sees.
//
// It goes over blocks of rows, each with all the query heads that share a key head: the scores of a block are one product, and
// so is its weighted sum. A score is a chain over the dimension of the head and a sum is a chain over the keys in the order of
// the sequence, so it does not matter which rows are together in a block, nor how the sequence is cut into segments.
func (c *computation) attend(i int, a *activations) {
	before := c.arena.mark
	keys, heads := c.newPanels(i), c.shape.KVHeads
	apart := c.pass.independent()
	if !apart {
		c.fillPanels(keys, a)
	}
	if c.forwardBlocks == nil {
		c.forwardBlocks = c.pass.groupedBlocks(c.shape, c.k.Threads())
	}
	each := 1
	if len(c.forwardBlocks) >= jobsPerThread*c.k.Threads() {
		each = heads
	}
	c.k.Run(len(c.forwardBlocks)*heads/each, func(j int) { c.attendHeads(i, j*each, each, keys, a, apart) })
	c.arena.release(before)
}

// jobsPerThread is how many blocks a thread has at least where it does all key heads of a block, which lie one after another in memory.
const jobsPerThread = 4

// attendHeads does a block of rows and the query heads of some key heads; blocks and key heads are counted through. Where the block's own keys and
// values are not in panels yet, they are brought there.
func (c *computation) attendHeads(layer, first, heads int, keys *panels, a *activations, take bool) {
	l := c.queryBlock(layer, &c.forwardBlocks[first/c.shape.KVHeads], first%c.shape.KVHeads)
	n, wide := l.queries(), c.shape.paddedDim()
	b := c.scratch.get(n * (l.width + 2*wide + 1))
	defer c.scratch.put(b)
	located := l.locate(b, keys)
	for head := range heads {
		if head > 0 {
			l.nextHead(located, c.shape)
		}
		if take {
			for i := range l.chunks {
				c.putKeys(keys, &l.chunks[i], l.kv, a.k)
				c.putValues(keys, &l.chunks[i], l.kv, a.v, 0, 1)
			}
		}
		c.attendBlock(&l, located, a, b.floats)
	}
}

// attendBlock does one block of rows and the query heads of one key head, in memory for its scores, queries, outputs and sums.
func (c *computation) attendBlock(l *queryBlock, located []locatedKeys, a *activations, buf cutter) {
	n, wide := l.queries(), c.shape.paddedDim()
	scores, q, out, sums := buf.cut(n*l.width), buf.cut(n*wide), buf.cut(n*wide), buf.cut(n)
	c.gather(q, a.q, l, c.attentionScale())
	if c.net.lowPrecision {
		c.roundQueries(q, q, n)
	}
	c.softmaxWeights(l, scores, q, located, sums, nil)
	c.weightedSum(l, out, scores, located)
	for r, s := range sums {
		c.k.Scale(row(out, r, wide), 1/s)
	}
	c.scatter(a.att, out, l)
}

// softmaxWeights computes scores = e^(q·kᵀ - max), 0 for the keys that a row does not see, and the sum of each row. The rows of q are
// scaled, and those of a left operand. Where scores are capped, slopes takes the derivatives of the caps, unless it is nil.
func (c *computation) softmaxWeights(l *queryBlock, scores, q []float32, located []locatedKeys, sums, slopes []float32) {
	c.score(l, scores, q, located)
	limit := float32(c.shape.Caps.Attention)
	for r := range sums {
		x := row(scores, r, l.width)
		from, to := l.visible(r / l.group)
		if limit > 0 {
			c.softcap(x[from:to], limit)
			if slopes != nil {
				capSlopes(row(slopes, r, l.width)[from:to], x[from:to], limit)
			}
		}
		sums[r] = c.k.SoftmaxSum(x[from:to])
		l.clearInvisible(x, from, to)
	}
}

// score computes the product of the rows of x, [queries, padded dim], and the transposed panels of the keys that the block sees.
func (c *computation) score(l *queryBlock, scores, x []float32, located []locatedKeys) {
	d, wide := c.shape.HeadDim, c.shape.paddedDim()
	for i := range located {
		// The panels may reach beyond the range. Before it lie the tokens before, which get the scores that they have or none that
		// is read; what comes behind is overwritten by the next range, or never read.
		v := &located[i]
		from := (v.first + v.from) &^ (kernel.PanelWidth - 1)
		n := (v.first + v.to - from + kernel.PanelWidth - 1) / kernel.PanelWidth
		c.k.MulStored(scores[v.row*l.width+l.column(v.segment.start+from-v.first):], l.width, x[v.row*wide:], wide, v.keyRange.rows, 0, d,
			v.transposed.From(from*d), kernel.PanelWidth*d, n, false)
	}
}

// roundQueries makes n queries, [n, padded dim], a left operand of products with keys in bfloat16, in the same room. dst may be x.
func (c *computation) roundQueries(dst, x []float32, n int) {
	d, wide := c.shape.HeadDim, c.shape.paddedDim()
	for r := range n {
		c.k.RoundLHS(row(dst, r, wide), row(x, r, wide)[:d], 0)
	}
}

// weightedSum computes out = weights·rows, [queries, padded dim], over the keys that the block sees, in the order of the sequence. Weights for rows
// in bfloat16 are rounded to it, in place; their gradient passes as if they were not.
func (c *computation) weightedSum(l *queryBlock, out, weights []float32, located []locatedKeys) {
	clear(out)
	wide := c.shape.paddedDim()
	for i := range located {
		v := &located[i]
		at, n := v.first+v.from, v.to-v.from
		x := weights[v.row*l.width+l.column(v.segment.start+v.from):]
		for r := 0; r < v.keyRange.rows && c.net.lowPrecision; r++ {
			c.k.RoundLHS(x[r*l.width:], x[r*l.width:][:n], at)
		}
		c.k.MulStored(out[v.row*wide:], wide, x, l.width, v.keyRange.rows, at, n, v.kvSlot.rows, v.stride, wide/kernel.PanelWidth, true)
	}
}

// gather copies the heads of the block from x [rows, heads·dim], scaled, to [queries, padded dim].
func (c *computation) gather(to, x []float32, l *queryBlock, scale float32) {
	d, wide := c.shape.HeadDim, c.shape.paddedDim()
	if wide > d {
		clear(to)
	}
	for q := range l.queries() {
		copy(row(to, q, wide), row(x, l.head(c.shape, q), d))
	}
	if scale != 1 {
		c.k.Scale(to[:l.queries()*wide], scale)
	}
}

// scatter copies [queries, padded dim] to the heads of the block in x [rows, heads·dim].
func (c *computation) scatter(x, from []float32, l *queryBlock) {
	d, wide := c.shape.HeadDim, c.shape.paddedDim()
	for q := range l.queries() {
		copy(row(x, l.head(c.shape, q), d), row(from, q, wide))
	}
}

func (c *computation) attentionScale() float32 { return float32(c.shape.ScoreScale()) }

// A cutter is a buffer that is cut into parts.
type cutter []float32

func (b *cutter) cut(n int) []float32 {
	part := (*b)[:n:n]
	*b = (*b)[n:]
	return part
}
