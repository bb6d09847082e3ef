package native

import (
	"parley/engine/native/kernel"
)

// A rowBlock is a number of rows that go through attention together: rows from, ..., from+n-1 of one chunk, or the single rows of
// several neighbouring chunks whose paths begin alike.
type rowBlock struct {
	chunks  []chunk
	from, n int // rows of each chunk; of several: 0 and 1
	shared  int // how many segments, root first, all paths have in common
}

const (
	// blockQueries is about how many queries, rows times heads that share a key head, a block has: enough to keep the
	// multipliers busy, few enough to waste little where the last rows see more than the first ones.
	blockQueries = 48
	// blockScores is about how many scores a block may have, so that they stay in the second-level cache. Blocks have
	// minBlockQueries in any case.
	blockScores     = 1 << 17
	minBlockQueries = 12
)

// blocks cuts the rows of each chunk into blocks.
func (p *pass) blocks(c *shape) []rowBlock {
	var all []rowBlock
	for i := range p.chunks {
		all = p.cutChunk(all, i, c)
	}
	return all
}

// cutChunk appends the blocks of chunk i.
func (p *pass) cutChunk(all []rowBlock, i int, c *shape) []rowBlock {
	ch, group := &p.chunks[i], c.Heads/c.KVHeads
	keys := ch.start + ch.from + ch.n
	size := max(1, max(minBlockQueries, min(blockQueries, blockScores/keys))/group)
	for from := 0; from < ch.n; from += size {
		all = append(all, rowBlock{chunks: p.chunks[i : i+1], from: from, n: min(size, ch.n-from), shared: len(ch.path)})
	}
	return all
}

// groupedBlocks is blocks, but brings single rows that continue the same prefix, as in decoding, into one block: their common keys are
// read once.
func (p *pass) groupedBlocks(c *shape, threads int) []rowBlock {
	var all []rowBlock
	most := min(blockQueries/(c.Heads/c.KVHeads), (len(p.chunks)+threads-1)/threads)
	for i := range p.chunks {
		if p.chunks[i].n > 1 {
			all = p.cutChunk(all, i, c)
			continue
		}
		if len(all) > 0 && all[len(all)-1].join(p, i, most) {
			continue
		}
		all = append(all, rowBlock{chunks: p.chunks[i : i+1], n: 1, shared: len(p.chunks[i].path)})
	}
	return all
}

// join adds chunk i, which has one row, to the block of the chunk before, unless they have nothing in common or the block is full.
func (b *rowBlock) join(p *pass, i, most int) bool {
	first, path := &b.chunks[0], p.chunks[i].path
	if b.n > 1 || first.n > 1 || len(b.chunks) >= most {
		return false
	}
	shared := 0
	for shared < min(b.shared, len(path)) && path[shared] == first.path[shared] {
		shared++
	}
	// A block of several may not lose keys to gain a row; a chunk's own segment is not common, even where it is an ancestor.
	if shared == 0 || len(b.chunks) > 1 && shared < b.shared || shared == len(first.path) || shared == len(path) {
		return false
	}
	b.chunks, b.shared = p.chunks[i-len(b.chunks):i+1], shared
	return true
}

func (b *rowBlock) rows() int { return len(b.chunks) * b.n }

// position is that of a row of the block in its sequence.
func (b *rowBlock) position(r int) int {
	if len(b.chunks) > 1 {
		return b.chunks[r].start + b.chunks[r].from
	}
	return b.chunks[0].start + b.chunks[0].from + b.from + r
}

// A queryBlock is what the queries of a block in one layer, those of the heads that share key head kv, see. Query r·group+h is that
// of row r and head kv·group+h. The scores of a query are a row, width words wide, in which each position of the sequence
// has its column.
type queryBlock struct {
	*rowBlock
	kv, group   int
	window      int // 0: none
	first, last int // positions that the queries see, all together
	width       int
}

// columnMargin is the number of columns before the first position: a panel of keys may begin before what is seen.
const columnMargin = kernel.PanelWidth

func (c *computation) queryBlock(layer int, b *rowBlock, kv int) queryBlock {
	l := queryBlock{rowBlock: b, kv: kv, group: c.shape.Heads / c.shape.KVHeads, window: c.shape.WindowOf(layer)}
	l.last = b.position(b.rows() - 1)
	l.first = l.firstVisible(l.last)
	for r := range b.rows() {
		l.first, l.last = min(l.first, l.firstVisible(b.position(r))), max(l.last, b.position(r))
	}
	// An odd number of cache lines: rows that lie a power of two apart would compete for their places in the cache.
	l.width = (columnMargin+l.last-l.first+columnMargin)/columnMargin*columnMargin + columnMargin
	if l.width/columnMargin%2 == 0 {
		l.width += columnMargin
	}
	return l
}

// firstVisible is the first position that one at p sees.
func (l *queryBlock) firstVisible(p int) int {
	if l.window > 0 {
		return max(0, p-l.window+1)
	}
	return 0
}

func (l *queryBlock) queries() int { return l.rows() * l.group }

// head is the index of a query's head among all heads of all packed rows.
func (l *queryBlock) head(c *shape, query int) int {
	return (l.chunks[0].row+l.from+query/l.group)*c.Heads + l.kv*l.group + query%l.group
}

func (l *queryBlock) column(position int) int { return position - l.first + columnMargin }

// visible returns the columns of what row r sees.
func (l *queryBlock) visible(r int) (from, to int) {
	p := l.position(r)
	return l.column(l.firstVisible(p)), l.column(p + 1)
}

// clearInvisible clears the columns of what a row does not see and others in the block do: a zero weight changes no sum.
func (l *queryBlock) clearInvisible(x []float32, from, to int) {
	clear(x[columnMargin:from])
	clear(x[to:l.column(l.last+1)])
}

// A keyRange is a run of keys, from, ..., to-1 of a segment, that consecutive queries of a block see.
type keyRange struct {
	segment   *segment
	from, to  int
	row, rows int // queries
}

// maxRangeKeys bounds a range, so that calls of assembly, which the collector waits for, are short.
const maxRangeKeys = 512

// eachRange calls f with everything that the queries see; for each query in the order of the sequence.
func (l *queryBlock) eachRange(f func(keyRange)) {
	l.walkPath(l.chunks[0].path[:l.shared], l.first, l.last, 0, l.queries(), f)
	if len(l.chunks) == 1 {
		return
	}
	for r := range l.chunks {
		p := l.position(r)
		l.walkPath(l.chunks[r].path[l.shared:], l.firstVisible(p), p, r*l.group, l.group, f)
	}
}

func (l *queryBlock) walkPath(path []*segment, first, last, row, rows int, f func(keyRange)) {
	for _, g := range path {
		end := min(len(g.tokens), last+1-g.start)
		for from := max(0, first-g.start); from < end; from += maxRangeKeys {
			f(keyRange{g, from, min(from+maxRangeKeys, end), row, rows})
		}
	}
}

// A locatedKeys is a range of keys and where it and its values are.
type locatedKeys struct {
	keyRange
	kvSlot
}

// locate returns all ranges, in memory of b.
func (l *queryBlock) locate(b *scratch, p *panels) []locatedKeys {
	b.keys = b.keys[:0]
	l.eachRange(func(v keyRange) { b.keys = append(b.keys, locatedKeys{v, p.slotOf(v.segment, l.kv)}) })
	return b.keys
}

// nextHead goes on to the next key head, whose keys and values follow those of the one before.
func (l *queryBlock) nextHead(located []locatedKeys, c *shape) {
	l.kv++
	for i := range located {
		s := &located[i].kvSlot
		size := s.stride / kernel.PanelWidth * (c.HeadDim + c.paddedDim())
		s.transposed, s.rows = s.transposed.From(size), s.rows.From(size)
	}
}
