package native

import (
	"cmp"
	"math"
)

// queryBlock is how many rows of one head a thread takes at a time.
const queryBlock = 16

// attend computes a.att: for every row and head the values, weighted by the softmax over the keys that the row sees. Keys are
// taken in the order of the sequence, so it does not matter how the sequence is cut into segments.
func (c *computation) attend(i int, a *activations) {
	type unit struct{ chunk, from, to int }
	var units []unit
	for j, ch := range c.pass.chunks {
		for from := 0; from < ch.n; from += queryBlock {
			units = append(units, unit{j, from, min(from+queryBlock, ch.n)})
		}
	}
	heads := c.config.Heads
	c.k.Run(len(units)*heads, func(j int) {
		u, h := units[j/heads], j%heads
		ch := &c.pass.chunks[u.chunk]
		b := c.lender.borrow(ch.start + ch.from + u.to)
		for r := u.from; r < u.to; r++ {
			c.attendRow(i, a, ch, r, h, b.floats)
		}
		c.lender.giveBack(b)
	})
}

// attendRow does one row of a chunk and one head. scores has room for every key.
func (c *computation) attendRow(i int, a *activations, ch *chunk, r, h int, scores []float32) {
	d := c.config.HeadDim
	kv := h / (c.config.Heads / c.config.KVHeads) * d
	scores = c.weights(i, a, ch, r, h, scores)
	out := row(a.att, (ch.row+r)*c.config.Heads+h, d)
	clear(out)
	for s := c.sight(i, ch, r); s.next(); {
		_, values := c.cached(i, a, s.segment)
		c.k.WeightedSum(out, scores[:s.n], values[s.from*c.config.keyWidth()+kv:], c.config.keyWidth(), s.n)
		scores = scores[s.n:]
	}
}

// weights computes softmax(q·kᵀ/sqrt(d)) over the keys that row r of the chunk sees, into the front of scores.
func (c *computation) weights(i int, a *activations, ch *chunk, r, h int, scores []float32) []float32 {
	d, width := c.config.HeadDim, c.config.keyWidth()
	kv := h / (c.config.Heads / c.config.KVHeads) * d
	q := row(a.q, (ch.row+r)*c.config.Heads+h, d)
	n := 0
	for s := c.sight(i, ch, r); s.next(); n += s.n {
		keys, _ := c.cached(i, a, s.segment)
		c.k.DotRows(scores[n:n+s.n], q, keys[s.from*width+kv:], width, s.n)
	}
	scores = scores[:n]
	c.k.Scale(scores, c.attentionScale())
	c.k.Softmax(scores)
	return scores
}

func (c *computation) attentionScale() float32 {
	return float32(1 / math.Sqrt(cmp.Or(c.config.QueryScalar, float64(c.config.HeadDim))))
}

// A sight walks over the segments that a row sees, root first: of each, tokens from, ..., from+n-1.
type sight struct {
	line        []*segment
	first, last int // positions seen
	segment     *segment
	from, n     int
}

func (c *computation) sight(layer int, ch *chunk, r int) sight {
	s := sight{line: ch.line, last: ch.start + ch.from + r}
	if w := c.config.window(layer); w > 0 {
		s.first = max(0, s.last-w+1)
	}
	return s
}

func (s *sight) next() bool {
	for len(s.line) > 0 {
		g := s.line[0]
		s.line = s.line[1:]
		s.segment, s.from = g, max(0, s.first-g.start)
		s.n = min(len(g.tokens), s.last+1-g.start) - s.from
		if s.n > 0 {
			return true
		}
	}
	return false
}

// cached returns the keys and values of a segment in layer i, from its first token on.
func (c *computation) cached(i int, a *activations, s *segment) (keys, values []float32) {
	width := c.config.keyWidth()
	if s.page != nil {
		keys, values = s.page.layer(i, width)
		return keys[s.shift*width:], values[s.shift*width:]
	}
	return a.k[s.row*width:], a.v[s.row*width:]
}

// store copies the pass's keys and values of layer i to the pages of its segments.
func (c *computation) store(i int, a *activations) {
	width := c.config.keyWidth()
	for _, ch := range c.pass.chunks {
		if ch.page == nil {
			continue
		}
		keys, values := c.cached(i, a, ch.segment)
		from, n := ch.from*width, ch.n*width
		copy(keys[from:from+n], a.k[ch.row*width:])
		copy(values[from:from+n], a.v[ch.row*width:])
	}
}
