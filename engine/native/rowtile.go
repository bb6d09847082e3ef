package native

// rowTileRows is about how many rows go through a layer together. They are few enough that each step finds the results of the step
// before in the caches, and enough to make up for packing the weights.
const rowTileRows = 512

// A rowTile is some neighbouring rows of a pass, from, ..., to-1, and the computation of a pass of those rows alone. All that a layer
// does but attention looks at one row at a time, so it goes tile by tile through all its steps.
type rowTile struct {
	*computation
	from, to, total int // rows; total: of the pass
	acts            activations
}

// eachRowTile calls f with all row tiles in order, and takes back what it took of the arena.
func (c *computation) eachRowTile(f func(b *rowTile)) {
	if c.rowTiles == nil {
		c.rowTiles = c.cutRowTiles(c.pass.rows())
	}
	for i := range c.rowTiles {
		before := c.arena.mark
		f(&c.rowTiles[i])
		c.arena.release(before)
	}
}

// rowTilesOf is how many row tiles n rows make: row tile i has rows i*n/rowTilesOf(n) up to those of the next.
func rowTilesOf(n int) int { return max(1, (n+rowTileRows/2)/rowTileRows) }

// rowTileStart returns the first row of the tile, of n rows, that a row is in.
func rowTileStart(n, row int) int {
	count := rowTilesOf(n)
	return ((row+1)*count - 1) / n * n / count
}

// cutRowTiles makes row tiles of nearly equal size of n rows.
func (c *computation) cutRowTiles(n int) []rowTile {
	count := rowTilesOf(n)
	if count == 1 {
		return []rowTile{{computation: c, to: n, total: n}}
	}
	tiles := make([]rowTile, count)
	for i := range tiles {
		b := &tiles[i]
		b.from, b.to, b.total = i*n/count, (i+1)*n/count, n
		part := *c
		part.pass, part.rowTiles = c.pass.part(b.from, b.to), nil
		b.computation = &part
	}
	return tiles
}

// rows returns the tile's rows of x, which has all rows of the pass.
func (b *rowTile) rows(x []float32) []float32 {
	width := len(x) / b.total
	return x[b.from*width : b.to*width]
}

// activationsOf returns the tile's rows of all activations, until it is asked again.
func (b *rowTile) activationsOf(a *activations) *activations {
	if b.to-b.from == b.total {
		return a
	}
	b.acts = activations{
		x: b.rows(a.x), mid: b.rows(a.mid), inv1: b.rows(a.inv1), inv2: b.rows(a.inv2),
		q: b.rows(a.q), att: b.rows(a.att), k: b.rows(a.k), v: b.rows(a.v), gate: b.rows(a.gate), up: b.rows(a.up),
		qRaw: b.rows(a.qRaw), kRaw: b.rows(a.kRaw), qInv: b.rows(a.qInv), kInv: b.rows(a.kInv),
		raw1: b.rows(a.raw1), raw2: b.rows(a.raw2), rawInv1: b.rows(a.rawInv1), rawInv2: b.rows(a.rawInv2),
	}
	for p := range a.lowRank {
		b.acts.lowRank[p] = b.rows(a.lowRank[p])
	}
	return &b.acts
}

// part returns the pass of rows from, ..., to-1 alone.
func (p *pass) part(from, to int) *pass {
	q := &pass{tokens: p.tokens[from:to], at: p.at[from:to]}
	for _, r := range p.runs {
		if lo, hi := max(r.from, from), min(r.to, to); lo < hi {
			q.runs = append(q.runs, run{r.policy, lo - from, hi - from})
		}
	}
	for _, ch := range p.chunks {
		if lo, hi := max(ch.row, from), min(ch.row+ch.n, to); lo < hi {
			ch.from, ch.n, ch.row = ch.from+lo-ch.row, hi-lo, lo-from
			q.chunks = append(q.chunks, ch)
		}
	}
	return q
}
