package kernel

import "unsafe"

// pacedRows is rowBlock where tiles prefetch at an even pace: two of such blocks are in the second-level cache at a time.
const pacedRows = 4 * tileRows

// pacedPrefetch is what the tiles of a product of many rows prefetch, evenly over the time that they take: rows of the left operand and panels that
// come next. What a core can wait for at a time is little, and what its tiles read from the second-level cache needs room there too.
// The assembly knows where its fields are (gen/prefetch.go).
type pacedPrefetch struct {
	rows, panels lineWalk
	results      uintptr //nolint:unused // the next row of results, for the assembly alone
	distance     uintptr // bytes from one to the next
	nextResults  uintptr // the results of the call that follows
}

// A lineWalk goes through lines of memory that lie in rows. They are only prefetched, never read.
type lineWalk struct {
	at, end uintptr // the next line, and the end of its row
	gap     uintptr // bytes from the end of a row to the next row
	stride  uintptr // bytes from one row to the next
	rate    uint64  // lines in 2³² turns of a tile's loop
	sum     uint64  // of rates, modulo 2³²
}

// walkRows is a walk through rows of so many words, stride words apart, in so many turns.
func walkRows(from []float32, rows, words, stride, turns int) lineWalk {
	if rows == 0 || words == 0 || turns == 0 {
		return lineWalk{}
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(from)))
	lines := rows * ceil(words, cacheLine/4)
	return lineWalk{at: at, end: at + uintptr(4*words), gap: uintptr(4 * (stride - words)), stride: uintptr(4 * stride), rate: min(uint64(lines)<<32/uint64(turns), 1<<32-1)}
}

// loopTurns is how many turns tiles take for so many rows, pairs of panels and so much depth.
func loopTurns(rows, panels, depth int) int { return ceil(rows, tileRows) * (panels / 2) * (depth / 4) }

// pacedTileRows cuts rows into blocks of whole tiles, at most so many rows each and nearly the same in all: that is their size.
func pacedTileRows(rows, most int) int {
	return ceil(ceil(rows, ceil(max(rows, 1), most)), tileRows) * tileRows
}

// A panelGroup is what blockAt computes: some rows of panels that stay in the caches together, for a block of depth.
type panelGroup struct {
	part    *part
	unit    unit
	d, size int
}

// groupDepth is the depth of a group's block.
func (p *product) groupDepth(g panelGroup) int { return min(g.size, p.depth-g.d) }

// walkPanels is a walk through what the panels of a group are made of.
func (p *product) walkPanels(g panelGroup, turns int) lineWalk {
	depth := p.groupDepth(g)
	if g.part.load != nil {
		next := g.part.load.next(g.unit.panel, g.d)
		if next.words == nil {
			return lineWalk{}
		}
		words := next.apart * g.unit.panels
		return walkRows(next.words, ceil(depth, panelWidth), words, next.apart+next.skip, turns)
	}
	ldb := p.depth * panelWidth
	return walkRows(g.part.panels[g.unit.panel*ldb+g.d*panelWidth:], g.unit.panels, depth*panelWidth, ldb, turns)
}

// nextGroup is what is computed after a group: the panels of the next block of depth, or those after them, if any.
func (p *product) nextGroup(g panelGroup, s *scratch) panelGroup {
	if g.d+g.size < p.depth {
		return panelGroup{g.part, g.unit, g.d + g.size, g.size}
	}
	if s.after.panels == 0 {
		return panelGroup{}
	}
	q, u := p.groupAt(s.after)
	return panelGroup{q, u, 0, p.depthAtOnce(q)}
}

// pacePanels begins what is prefetched while a group is computed: the panels of the next one.
func (p *product) pacePanels(a *pacedPrefetch, g panelGroup, s *scratch) {
	*a = pacedPrefetch{distance: uintptr(4 * g.part.width)}
	if next := p.nextGroup(g, s); next.part != nil {
		a.panels = p.walkPanels(next, loopTurns(g.unit.rows, g.unit.panels, p.groupDepth(g)))
	}
}

// paceRows says which rows of the left operand are prefetched while those from one on of a group are multiplied: the ones after them, or those of
// the next group.
func (p *product) paceRows(a *pacedPrefetch, g panelGroup, row int, s *scratch) {
	size := p.rowsAtOnce(g.part, g.unit.rows)
	turns := loopTurns(min(size, g.unit.rows-row), g.unit.panels, p.groupDepth(g))
	next := g
	if row += size; row < g.unit.rows {
		next.unit.row, next.unit.rows = g.unit.row+row, min(size, g.unit.rows-row)
	} else if next = p.nextGroup(g, s); next.part != nil {
		next.unit.rows = min(next.unit.rows, p.rowsAtOnce(next.part, next.unit.rows))
	}
	a.rows = lineWalk{}
	if next.part != nil {
		a.rows = walkRows(p.lhs.at(next.unit.row, next.d), next.unit.rows, p.groupDepth(next), p.lhs.lda, turns)
	}
}
