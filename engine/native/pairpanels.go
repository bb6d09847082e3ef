package native

import "parley/engine/native/kernel"

// Pair panels are the values and keys of one layer as the gradients of attention read them in a net of low precision: pairs of
// bfloat16. For each key head there are
//
//	values  [capacity/16][words of dim][16]         panels of 16 tokens, pairs along the dimension
//	keys    [padded dim/16][words of capacity][16]  panels of 16 dimensions, pairs along the tokens
//
// where the capacity is that of the segments, which lie where [pass.slots] puts them.
type pairPanels struct {
	capacity, headWords, capacityWords int // tokens; words of a head; words of the capacity
	values, keys                       []float32
}

// pairPanels rounds values and keys [rows, key width] and brings them into panels.
func (c *computation) pairPanels(values, keys []float32) *pairPanels {
	capacity, heads, wide, pair := c.pass.slots(), c.shape.KVHeads, c.shape.paddedDim(), c.k.PairWords(2)
	p := &pairPanels{capacity: capacity, headWords: c.k.PairWords(c.shape.HeadDim), capacityWords: c.k.PairWords(capacity)}
	p.values, p.keys = c.arena.floats(heads*capacity*p.headWords), c.arena.floats(heads*p.capacityWords*wide)
	c.k.Run(len(c.pass.chunks)*heads, func(j int) {
		ch, kv := &c.pass.chunks[j/heads], j%heads
		scratch := c.scratch.get(max(kernel.PanelWidth*p.headWords, (1+pair)*wide))
		defer c.scratch.put(scratch)
		c.transposePairs(p.valuesOf(kv, ch.slot), ch, kv, values, scratch.floats)
		c.pairRows(p.keysOf(c, kv, ch.slot), p.capacityWords*kernel.PanelWidth, ch, kv, keys, scratch.floats)
	})
	return p
}

// valuesOf are those of a key head from a token of the panels on, the first one of a panel.
func (p *pairPanels) valuesOf(kv, at int) []float32 { return p.values[(kv*p.capacity+at)*p.headWords:] }

// keysOf are those of a key head from a token of the panels on, the even one of a pair.
func (p *pairPanels) keysOf(c *computation, kv, at int) []float32 {
	return p.keys[kv*p.capacityWords*c.shape.paddedDim()+c.k.PairWords(at)*kernel.PanelWidth:]
}

// transposePairs writes the tokens of a segment and key head into panels of 16 tokens.
func (c *computation) transposePairs(to []float32, ch *chunk, kv int, x, rounded []float32) {
	d, width, deep := c.shape.HeadDim, c.shape.KeyWidth(), c.k.PairWords(c.shape.HeadDim)
	for t := 0; t < ch.n; t += kernel.PanelWidth {
		n := min(kernel.PanelWidth, ch.n-t)
		for r := range n {
			c.k.RoundPairs(rounded[r*deep:], x[(ch.row+t+r)*width+kv*d:][:d])
		}
		c.k.TransposeRows(to[t*deep:], rounded, deep, n, deep)
	}
}

// pairRows writes them into panels of 16 dimensions, which are ldb words apart. The last of an odd number has zeros beside it.
func (c *computation) pairRows(to []float32, ldb int, ch *chunk, kv int, x, rounded []float32) {
	d, width, wide, pair := c.shape.HeadDim, c.shape.KeyWidth(), c.shape.paddedDim(), c.k.PairWords(2)
	zero, words := rounded[:wide], rounded[wide:][:pair*wide]
	clear(rounded)
	for t := 0; t < ch.n; t += 2 {
		even, odd := x[(ch.row+t)*width+kv*d:][:d], zero
		if t+1 < ch.n {
			odd = x[(ch.row+t+1)*width+kv*d:][:d]
		}
		c.k.RoundRowPairs(words, wide, even, odd)
		for r := range pair {
			at := (t/2*pair + r) * kernel.PanelWidth
			for panel := range wide / kernel.PanelWidth {
				copy(to[panel*ldb+at:][:kernel.PanelWidth], row(words, r, wide)[panel*kernel.PanelWidth:])
			}
		}
	}
}
