package native

import "parley/engine/native/kernel"

// Panels are the keys and values of one layer as the products of attention read them. For each key head of a room of so many
// tokens there are
//
//	turned  [room/16][dim][16]         panels of 16 keys, for products with queries
//	rows    [padded dim/16][room][16]  panels of 16 dimensions, for weighted sums of values
//
// one after another. Segments with a page have their room there, and it outlives the pass; the others share the pass's.
type panels struct {
	config *Config
	layer  int
	room   int // of the segments without page
	data   []float32
}

// A page holds the panels of up to room tokens in every layer, for passes to come.
type page struct {
	room  int // a multiple of kernel.PanelWidth
	data  *kernel.Stream
	users int // segments that lie on it
}

// paddedDim is the dimension of a head in whole panels.
func (c *Config) paddedDim() int {
	return (c.HeadDim + kernel.PanelWidth - 1) / kernel.PanelWidth * kernel.PanelWidth
}

// panelFloats is the size of one layer's panels of a room.
func (c *Config) panelFloats(room int) int { return c.KVHeads * room * (c.HeadDim + c.paddedDim()) }

// A shelf is the part of panels that one key head has.
type shelf struct {
	turned, rows []float32
	stride       int // words from one panel of rows to the next
	first        int // where the tokens of the segment that was asked for begin
}

// of returns the shelf of a segment.
func (p *panels) of(g *segment, kv int) shelf {
	if g.page != nil {
		return p.config.shelf(g.page.data.Floats[p.layer*p.config.panelFloats(g.page.room):], g.page.room, kv, g.shift)
	}
	return p.config.shelf(p.data, p.room, kv, g.slot)
}

// shelf cuts that of a key head out of one layer's panels.
func (c *Config) shelf(data []float32, room, kv, first int) shelf {
	keys, values := room*c.HeadDim, room*c.paddedDim()
	head := data[kv*(keys+values):][:keys+values]
	return shelf{head[:keys], head[keys:], room * kernel.PanelWidth, first}
}

// panels brings keys and values of layer i, [rows, key width], into panels.
func (c *computation) panels(i int, keys, values []float32) *panels {
	p := &panels{config: c.config, layer: i, room: c.pass.slots()}
	p.data = c.arena.floats(c.config.panelFloats(p.room))
	heads := c.config.KVHeads
	c.k.Run(len(c.pass.chunks)*heads, func(j int) { c.fill(p, &c.pass.chunks[j/heads], j%heads, keys, values) })
	return p
}

// slots gives every segment without page a place in the room of the pass, and returns how many tokens that has.
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

// fill brings the tokens of one chunk into the panels of one key head.
func (c *computation) fill(p *panels, ch *chunk, kv int, keys, values []float32) {
	d, width := c.config.HeadDim, c.config.keyWidth()
	s := p.of(ch.segment, kv)
	for done := 0; done < ch.n; {
		t := s.first + ch.from + done
		column := t % kernel.PanelWidth
		n := min(kernel.PanelWidth-column, ch.n-done)
		first := (ch.row+done)*width + kv*d
		c.k.TurnRows(s.turned[(t-column)*d+column:], keys[first:], width, n, d)
		for r := range n {
			copyPanels(s.rows[(t+r)*kernel.PanelWidth:], s.stride, values[first+r*width:][:d])
		}
		done += n
	}
}

// copyPanels cuts a row into pieces of a panel's width, stride words apart, the last one filled up with zeros.
func copyPanels(to []float32, stride int, x []float32) {
	for len(x) > 0 {
		n := copy(to[:kernel.PanelWidth], x)
		clear(to[n:kernel.PanelWidth])
		if x = x[n:]; len(x) > 0 {
			to = to[stride:]
		}
	}
}

// copyTokens copies keys and values of n tokens from page q, token from, to token to of page p.
func (p *page) copyTokens(c *Config, to int, q *page, from, n int) {
	for i := range c.Layers * c.KVHeads {
		layer, kv := i/c.KVHeads, i%c.KVHeads
		a := c.shelf(p.data.Floats[layer*c.panelFloats(p.room):], p.room, kv, to)
		b := c.shelf(q.data.Floats[layer*c.panelFloats(q.room):], q.room, kv, from)
		for t := range n {
			a.copyToken(a.first+t, &b, b.first+t, c.HeadDim)
		}
	}
}

// copyToken copies what shelf q has at token from to token to of shelf s.
func (s *shelf) copyToken(to int, q *shelf, from, dim int) {
	const width = kernel.PanelWidth
	a, b := s.turned[to/width*width*dim+to%width:], q.turned[from/width*width*dim+from%width:]
	for w := range dim {
		a[w*width] = b[w*width]
	}
	for panel := range (dim + width - 1) / width {
		copy(s.rows[panel*s.stride+to*width:][:width], q.rows[panel*q.stride+from*width:])
	}
}
