package native

import (
	"parley/engine/native/kernel"
)

// A block is a number of rows that go through attention together: rows from, ..., from+n-1 of one chunk, or the single rows of
// several neighbouring chunks whose lines begin alike.
type block struct {
	chunks  []chunk
	from, n int // rows of each chunk; of several: 0 and 1
	shared  int // how many segments, root first, all lines have in common
}

const (
	// blockQueries is about how many queries, rows times heads that share a key head, a block has: enough to keep the
	// multipliers busy, few enough to waste little where the last rows see more than the first ones.
	blockQueries = 48
	// blockScores is about how many scores a block may have, so that they stay in the second-level cache. Blocks have
	// leastQueries in any case.
	blockScores  = 1 << 17
	leastQueries = 12
)

// blocks cuts the rows of each chunk into blocks.
func (p *pass) blocks(c *shape) []block {
	var all []block
	for i := range p.chunks {
		all = p.cutChunk(all, i, c)
	}
	return all
}

// cutChunk appends the blocks of chunk i.
func (p *pass) cutChunk(all []block, i int, c *shape) []block {
	ch, group := &p.chunks[i], c.Heads/c.KVHeads
	keys := ch.start + ch.from + ch.n
	size := max(1, max(leastQueries, min(blockQueries, blockScores/keys))/group)
	for from := 0; from < ch.n; from += size {
		all = append(all, block{chunks: p.chunks[i : i+1], from: from, n: min(size, ch.n-from), shared: len(ch.line)})
	}
	return all
}

// together is blocks, but brings single rows that continue the same text, as in decoding, into one block: their common keys are
// read once.
func (p *pass) together(c *shape, threads int) []block {
	var all []block
	most := min(blockQueries/(c.Heads/c.KVHeads), (len(p.chunks)+threads-1)/threads)
	for i := range p.chunks {
		if p.chunks[i].n > 1 {
			all = p.cutChunk(all, i, c)
			continue
		}
		if len(all) > 0 && all[len(all)-1].join(p, i, most) {
			continue
		}
		all = append(all, block{chunks: p.chunks[i : i+1], n: 1, shared: len(p.chunks[i].line)})
	}
	return all
}

// join adds chunk i, which has one row, to the block of the chunk before, unless they have nothing in common or the block is full.
func (b *block) join(p *pass, i, most int) bool {
	first, line := &b.chunks[0], p.chunks[i].line
	if b.n > 1 || first.n > 1 || len(b.chunks) >= most {
		return false
	}
	shared := 0
	for shared < min(b.shared, len(line)) && line[shared] == first.line[shared] {
		shared++
	}
	// A block of several may not lose keys to gain a row; a chunk's own segment is not common, even where it is an ancestor.
	if shared == 0 || len(b.chunks) > 1 && shared < b.shared || shared == len(first.line) || shared == len(line) {
		return false
	}
	b.chunks, b.shared = p.chunks[i-len(b.chunks):i+1], shared
	return true
}

func (b *block) rows() int { return len(b.chunks) * b.n }

// position is that of a row of the block in its sequence.
func (b *block) position(r int) int {
	if len(b.chunks) > 1 {
		return b.chunks[r].start + b.chunks[r].from
	}
	return b.chunks[0].start + b.chunks[0].from + b.from + r
}

// A look is what the queries of a block in one layer, those of the heads that share key head kv, see. Query r·group+h is that
// of row r and head kv·group+h. The scores of a query are a row, width words wide, in which each position of the sequence
// has its column.
type look struct {
	*block
	kv, group   int
	window      int // 0: none
	first, last int // positions that the queries see, all together
	width       int
}

// margin is the number of columns before the first position: a panel of keys may begin before what is seen.
const margin = kernel.PanelWidth

func (c *computation) look(layer int, b *block, kv int) look {
	l := look{block: b, kv: kv, group: c.shape.Heads / c.shape.KVHeads, window: c.shape.WindowOf(layer)}
	l.last = b.position(b.rows() - 1)
	l.first = l.since(l.last)
	for r := range b.rows() {
		l.first, l.last = min(l.first, l.since(b.position(r))), max(l.last, b.position(r))
	}
	// An odd number of cache lines: rows that lie a power of two apart would compete for their places in the cache.
	l.width = (margin+l.last-l.first+margin)/margin*margin + margin
	if l.width/margin%2 == 0 {
		l.width += margin
	}
	return l
}

// since is the first position that one at p sees.
func (l *look) since(p int) int {
	if l.window > 0 {
		return max(0, p-l.window+1)
	}
	return 0
}

func (l *look) queries() int { return l.rows() * l.group }

// head is the index of a query's head among all heads of all packed rows.
func (l *look) head(c *shape, query int) int {
	return (l.chunks[0].row+l.from+query/l.group)*c.Heads + l.kv*l.group + query%l.group
}

func (l *look) column(position int) int { return position - l.first + margin }

// seen returns the columns of what row r sees.
func (l *look) seen(r int) (from, to int) {
	p := l.position(r)
	return l.column(l.since(p)), l.column(p + 1)
}

// blank clears the columns of what a row does not see and others in the block do: a zero weight changes no sum.
func (l *look) blank(x []float32, from, to int) {
	clear(x[margin:from])
	clear(x[to:l.column(l.last+1)])
}

// A view is a run of keys, from, ..., to-1 of a segment, that consecutive queries of a look see.
type view struct {
	segment   *segment
	from, to  int
	row, rows int // queries
}

// mostKeys bounds a view, so that calls of assembly, which the collector waits for, are short.
const mostKeys = 512

// each calls f with everything that the queries see; for each query in the order of the sequence.
func (l *look) each(f func(view)) {
	l.walk(l.chunks[0].line[:l.shared], l.first, l.last, 0, l.queries(), f)
	if len(l.chunks) == 1 {
		return
	}
	for r := range l.chunks {
		p := l.position(r)
		l.walk(l.chunks[r].line[l.shared:], l.since(p), p, r*l.group, l.group, f)
	}
}

func (l *look) walk(line []*segment, first, last, row, rows int, f func(view)) {
	for _, g := range line {
		end := min(len(g.tokens), last+1-g.start)
		for from := max(0, first-g.start); from < end; from += mostKeys {
			f(view{g, from, min(from+mostKeys, end), row, rows})
		}
	}
}

// A placed is a view and where its keys and values are.
type placed struct {
	view
	shelf
}

// places are all views, in memory of a loan.
func (l *look) places(b *loan, p *panels) []placed {
	b.places = b.places[:0]
	l.each(func(v view) { b.places = append(b.places, placed{v, p.of(v.segment, l.kv)}) })
	return b.places
}

// nextHead goes on to the next key head, whose keys and values follow those of the one before.
func (l *look) nextHead(text []placed, c *shape) {
	l.kv++
	for i := range text {
		s := &text[i].shelf
		size := s.stride / kernel.PanelWidth * (c.HeadDim + c.paddedDim())
		s.turned, s.rows = s.turned.From(size), s.rows.From(size)
	}
}
