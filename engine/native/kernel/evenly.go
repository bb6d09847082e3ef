package kernel

import "unsafe"

// evenRows is rowBlock where tiles ask evenly: two of such blocks are in the second-level cache at a time.
const evenRows = 4 * tileRows

// asks is what the tiles of a product of many rows ask memory for, evenly over the time that they take: rows of the left operand and panels that
// come next. What a core can wait for at a time is little, and what its tiles read from the second-level cache needs room there too.
// The assembly knows where its fields are (gen/evenly.go).
type asks struct {
	rows, panels walk
	results      uintptr //nolint:unused // the next row of results, for the assembly alone
	distance     uintptr // bytes from one to the next
	then         uintptr // the results of the call that follows
}

// A walk goes through lines of memory that lie in rows. They are only asked for, never read.
type walk struct {
	at, end uintptr // the next line, and the end of its row
	gap     uintptr // bytes from the end of a row to the next row
	stride  uintptr // bytes from one row to the next
	rate    uint64  // lines in 2³² turns of a tile's loop
	sum     uint64  // of rates, modulo 2³²
}

// walkRows is a walk through rows of so many words, stride words apart, in so many turns.
func walkRows(from []float32, rows, words, stride, turns int) walk {
	if rows == 0 || words == 0 || turns == 0 {
		return walk{}
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(from)))
	lines := rows * ceil(words, cacheLine/4)
	return walk{at: at, end: at + uintptr(4*words), gap: uintptr(4 * (stride - words)), stride: uintptr(4 * stride), rate: min(uint64(lines)<<32/uint64(turns), 1<<32-1)}
}

// turnsOf is how many turns tiles take for so many rows, pairs of panels and so much depth.
func turnsOf(rows, panels, depth int) int { return ceil(rows, tileRows) * (panels / 2) * (depth / 4) }

// evenTiles cuts rows into blocks of whole tiles, at most so many rows each and nearly the same in all: that is their size.
func evenTiles(rows, most int) int {
	return ceil(ceil(rows, ceil(max(rows, 1), most)), tileRows) * tileRows
}

// A group is what blockAt computes: some rows of panels that stay in the caches together, for a block of depth.
type group struct {
	part    *part
	unit    unit
	d, size int
}

// deep is the depth of a group's block.
func (p *product) deep(g group) int { return min(g.size, p.depth-g.d) }

// walkPanels is a walk through what the panels of a group are made of.
func (p *product) walkPanels(g group, turns int) walk {
	depth := p.deep(g)
	if g.part.load != nil {
		next := g.part.load.next(g.unit.panel, g.d)
		if next.words == nil {
			return walk{}
		}
		words := next.apart * g.unit.panels
		return walkRows(next.words, ceil(depth, panelWidth), words, next.apart+next.skip, turns)
	}
	ldb := p.depth * panelWidth
	return walkRows(g.part.panels[g.unit.panel*ldb+g.d*panelWidth:], g.unit.panels, depth*panelWidth, ldb, turns)
}

// following is what is computed after a group: the panels of the next block of depth, or those after them, if any.
func (p *product) following(g group, s *scratch) group {
	if g.d+g.size < p.depth {
		return group{g.part, g.unit, g.d + g.size, g.size}
	}
	if s.after.panels == 0 {
		return group{}
	}
	q, u := p.groupAt(s.after)
	return group{q, u, 0, p.depthAtOnce(q)}
}

// askFor begins what is asked for while a group is computed: the panels of the next one.
func (p *product) askFor(a *asks, g group, s *scratch) {
	*a = asks{distance: uintptr(4 * g.part.width)}
	if next := p.following(g, s); next.part != nil {
		a.panels = p.walkPanels(next, turnsOf(g.unit.rows, g.unit.panels, p.deep(g)))
	}
}

// askForRows says which rows of the left operand are asked for while those from one on of a group are multiplied: the ones after them, or those of
// the next group.
func (p *product) askForRows(a *asks, g group, row int, s *scratch) {
	size := p.rowsAtOnce(g.part, g.unit.rows)
	turns := turnsOf(min(size, g.unit.rows-row), g.unit.panels, p.deep(g))
	next := g
	if row += size; row < g.unit.rows {
		next.unit.row, next.unit.rows = g.unit.row+row, min(size, g.unit.rows-row)
	} else if next = p.following(g, s); next.part != nil {
		next.unit.rows = min(next.unit.rows, p.rowsAtOnce(next.part, next.unit.rows))
	}
	a.rows = walk{}
	if next.part != nil {
		a.rows = walkRows(p.left.at(next.unit.row, next.d), next.unit.rows, p.deep(next), p.left.lda, turns)
	}
}
