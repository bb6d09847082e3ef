package native

import "parley/engine/native/kernel"

// readSoon lists what is read after the base's products of a site of layer i: its adapters, where reading them is all that they take because each
// is for a few rows, and a part of the keys and values that attention reads next.
func (c *computation) readSoon(i int, s site, adapters bool) *kernel.Soon {
	c.soon.Clear()
	if adapters {
		c.adaptersSoon(i, s)
	}
	if c.pass.apart() {
		c.textSoon(i, s)
	}
	return c.soon
}

func (c *computation) adaptersSoon(i int, s site) {
	for _, r := range c.pass.runs {
		if t := r.policy.at(i, s); t != nil {
			c.soon.Add(t.panel)
			t.each(func(_ int, l *lora, _ int) { c.soon.Add(l.panel) })
		}
	}
}

// textSoon lists a part of the keys and values of the next attention: that of some chunks, as many as the site's products have of the work
// between this attention and the next.
func (c *computation) textSoon(i int, s site) {
	from, to := c.config.between(s)
	if s != attentionIn {
		i++
	}
	if i == c.config.Layers {
		return
	}
	chunks := c.pass.chunks
	n := float64(len(chunks))
	for j := int(from * n); j < int(to*n); j++ {
		for at, g := range chunks[j].line {
			if g.page != nil && (j == 0 || at >= len(chunks[j-1].line) || chunks[j-1].line[at] != g) {
				c.config.pageSoon(c.soon, g, i)
			}
		}
	}
}

// between says where a site's products begin and end on the way from one layer's attention to the next one's, from 0 to 1.
func (c *Config) between(s site) (from, to float64) {
	size := func(s site) float64 {
		n := 0
		for _, p := range c.arch().at(s) {
			out, in := c.widths(p)
			n += out * in
		}
		return float64(n)
	}
	all := 0.
	for _, o := range []site{attentionOut, gatedIn, gatedOut, attentionIn} {
		if o == s {
			from = all
		}
		if all += size(o); o == s {
			to = all
		}
	}
	return from / all, to / all
}

// pageSoon adds what a page holds of a segment in one layer: as one piece, unless much of it is empty.
func (c *Config) pageSoon(soon *kernel.Soon, g *segment, layer int) {
	p, tokens := g.page, g.shift+len(g.tokens)
	if p.room-tokens < kernel.PanelWidth {
		soon.AddStored(c.shelf(p.data.Stored, layer, p.room, 0, 0).turned, c.panelFloats(p.room))
		return
	}
	for kv := range c.KVHeads {
		s := c.shelf(p.data.Stored, layer, p.room, kv, 0)
		soon.AddStored(s.turned, (tokens+kernel.PanelWidth-1)/kernel.PanelWidth*kernel.PanelWidth*c.HeadDim)
		for panel := range c.paddedDim() / kernel.PanelWidth {
			soon.AddStored(s.rows.From(panel*s.stride), tokens*kernel.PanelWidth)
		}
	}
}
