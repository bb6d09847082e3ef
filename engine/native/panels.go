package native

import (
	"parley/engine/native/kernel"
)

// Panels are the keys and values of one layer as the products of attention read them. For each key head of a capacity of so many
// tokens there are
//
//	transposed  [capacity/16][dim][16]         panels of 16 keys, for products with queries
//	rows    [padded dim/16][capacity][16]  panels of 16 dimensions, for weighted sums of values
//
// one after another. Segments with a page have their room there, and it outlives the pass; the others share the pass's.
type panels struct {
	shape    *shape
	layer    int
	capacity int // in tokens, of the segments without page
	data     kernel.Stored
}

// A page holds the panels of up to capacity tokens in every layer, for passes to come. Those of a net of low precision are bfloat16.
type page struct {
	pageKind   // its capacity is a multiple of kernel.PanelWidth
	data       *kernel.Stream
	references int         // segments that lie on it
	cached     []cachedRow // [capacity] where the activations of its tokens are; nil: nowhere
}

// paddedDim is the dimension of a head in whole panels.
func (c *shape) paddedDim() int {
	return (c.HeadDim + kernel.PanelWidth - 1) / kernel.PanelWidth * kernel.PanelWidth
}

// panelFloats is the size of one layer's panels of a capacity.
func (c *shape) panelFloats(room int) int {
	return c.KVHeads * room * (c.HeadDim + c.paddedDim())
}

// A kvSlot is the part of panels that one key head has.
type kvSlot struct {
	transposed, rows kernel.Stored
	stride           int // words from one panel of rows to the next
	first            int // where the tokens of the segment that was asked for begin
}

// slotOf returns the slot of a segment.
func (p *panels) slotOf(g *segment, kv int) kvSlot {
	if g.page != nil {
		return p.shape.kvSlot(g.page.data.Stored, p.layer, g.page.capacity, kv, g.offset)
	}
	return p.shape.kvSlot(p.data, 0, p.capacity, kv, g.slot)
}

// kvSlot cuts that of a key head out of the panels of layers.
func (c *shape) kvSlot(data kernel.Stored, layer, room, kv, first int) kvSlot {
	keys, values := room*c.HeadDim, room*c.paddedDim()
	at := (layer*c.KVHeads + kv) * (keys + values)
	return kvSlot{data.From(at), data.From(at + keys), room * kernel.PanelWidth, first}
}

// panels brings keys and values of layer i, [rows, key width], into panels; without values, the keys alone.
func (c *computation) panels(i int, keys, values []float32) *panels {
	p, heads := c.newPanels(i), c.shape.KVHeads
	c.k.Run(len(c.pass.chunks)*heads, func(j int) {
		ch, kv := &c.pass.chunks[j/heads], j%heads
		c.putKeys(p, ch, kv, keys)
		if values != nil {
			c.putValues(p, ch, kv, values, 0, 1)
		}
	})
	return p
}

// newPanels makes room for the panels of layer i.
func (c *computation) newPanels(i int) *panels {
	p := &panels{shape: c.shape, layer: i, capacity: c.pass.slots()}
	values := c.shape.panelFloats(p.capacity)
	if c.net.lowPrecision {
		values /= 2
	}
	p.data = kernel.StoredIn(c.arena.floats(values), c.net.lowPrecision)
	return p
}

// slots gives every segment without page a place in the panels of the pass, and returns how many tokens those have.
func (p *pass) slots() int {
	room := 0
	for i := range p.chunks {
		if g := p.chunks[i].segment; g.page == nil {
			g.slot = room
			room += (len(g.tokens) + kernel.PanelWidth - 1) / kernel.PanelWidth * kernel.PanelWidth
		}
	}
	return room
}

// fillPanels brings the keys and values of the pass into its panels. In a net of low precision two values may share a word ([kernel.Stored]), and those of
// two chunks may, whose segments lie on one page: the values of even places go first, and then the others.
func (c *computation) fillPanels(p *panels, a *activations) {
	heads := c.shape.KVHeads
	n, step := len(c.pass.chunks)*heads, 1
	if c.net.lowPrecision {
		step = 2
	}
	c.k.Run(n, func(j int) {
		c.putKeys(p, &c.pass.chunks[j/heads], j%heads, a.k)
		c.putValues(p, &c.pass.chunks[j/heads], j%heads, a.v, 0, step)
	})
	if step > 1 {
		c.k.Run(n, func(j int) { c.putValues(p, &c.pass.chunks[j/heads], j%heads, a.v, 1, step) })
	}
}

// putKeys brings the keys of one chunk into the panels of one key head.
func (c *computation) putKeys(p *panels, ch *chunk, kv int, keys []float32) {
	d, width := c.shape.HeadDim, c.shape.KeyWidth()
	s := p.slotOf(ch.segment, kv)
	for done := 0; done < ch.n; {
		t := s.first + ch.from + done
		column := t % kernel.PanelWidth
		n := min(kernel.PanelWidth-column, ch.n-done)
		c.k.TransposeStored(s.transposed.From((t-column)*d), column, keys[(ch.row+done)*width+kv*d:], width, n, d)
		done += n
	}
}

// putValues brings its values there: those in places first, first+step, ..., counted from an even place.
func (c *computation) putValues(p *panels, ch *chunk, kv int, values []float32, first, step int) {
	d, width := c.shape.HeadDim, c.shape.KeyWidth()
	s := p.slotOf(ch.segment, kv)
	at := s.first + ch.from
	for r := (first + at) % step; r < ch.n; r += step {
		c.k.PutRow(s.rows, s.stride, at+r, values[(ch.row+r)*width+kv*d:][:d])
	}
	if ch.page == nil && first == 0 {
		c.k.EndRows(s.rows, s.stride, at+ch.n, d)
	}
}

// copyTokens copies keys and values of n tokens from page q, token from, to token to of page p, which stores them the same way.
func (p *page) copyTokens(k *kernel.Kernels, c *shape, to int, q *page, from, n int) {
	k.Run(c.Layers*c.KVHeads, func(i int) {
		layer, kv := i/c.KVHeads, i%c.KVHeads
		a, b := c.kvSlot(p.data.Stored, layer, p.capacity, kv, to), c.kvSlot(q.data.Stored, layer, q.capacity, kv, from)
		a.copyKeys(k, &b, n, c.HeadDim)
		for panel := range c.paddedDim() / kernel.PanelWidth {
			k.CopyRows(a.rows.From(panel*a.stride), to, b.rows.From(panel*b.stride), from, n)
		}
	})
}

// copyKeys copies n keys of slot q, from its first one on: whole panels where both lie alike, else runs of columns.
func (s *kvSlot) copyKeys(k *kernel.Kernels, q *kvSlot, n, dim int) {
	const width = kernel.PanelWidth
	for done := 0; done < n; {
		to, from := s.first+done, q.first+done
		run := min(n-done, width-to%width, width-from%width)
		k.CopyColumns(s.transposed.From(to/width*width*dim), to%width, q.transposed.From(from/width*width*dim), from%width, run, dim)
		done += run
	}
}
