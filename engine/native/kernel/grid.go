package kernel

const (
	// inlineWork is the number of multiply-adds below which a product is not worth another thread.
	inlineWork = 1 << 17
	// unitWork is the least number of multiply-adds of one unit of a product that is spread over the pool.
	unitWork = 1 << 18
	// unitMost is the most of a unit of more panels than stay in the caches together.
	unitMost = 1 << 24
	// unitRows is the most rows of a unit: enough to make up for bringing the right operand together, and as many as the head takes at
	// a time, in whole tiles.
	unitRows = 1032
	// unitsPerThread is how many units a thread gets at least of a product that is large enough, so that none waits long for the
	// last one.
	unitsPerThread = 4
	// leastRows is the least rows of a unit where the panels alone are enough for all threads: each unit of the same panels reads them
	// once more.
	leastRows = 4 * tileRows
	// tileRows is the height of the tallest tile.
	tileRows = 12
)

// A unit is the part of a product that one thread computes at a time: some rows of some panels of the result.
type unit struct {
	row, rows     int
	panel, panels int
}

// A grid cuts the result of a product [rows, 16·panels] into units. The units of the same rows follow each other: what
// a thread reads of the left operand stays in its second-level cache.
type grid struct {
	rows, panels         int
	unitRows, unitPanels int
	down, across         int // units
	spread               bool
}

// newGrid cuts a product of the given depth. Panels are cut first, in even numbers: all rows of a unit share the right operand.
func newGrid(k *Kernels, rows, panels, depth int) grid {
	g := grid{rows: rows, panels: panels, unitRows: rows, unitPanels: panels}
	if rows == 0 || panels == 0 {
		return g
	}
	work := rows * panels * panelWidth * depth
	if g.spread = k.Threads() > 1 && work >= inlineWork; g.spread {
		g.cutRows(ceil(rows, unitRows))
		wanted := min(max(work/unitWork, k.Threads()), unitsPerThread*k.Threads())
		most := max(blockPanels, unitMost/max(1, g.unitRows*panelWidth*depth)&^1)
		g.unitPanels = g.evenest(min(most, 2*ceil(panels, 2*ceil(wanted, g.down))), k.Threads())
		across := ceil(panels, g.unitPanels)
		pieces := ceil(wanted, across)
		if across >= k.Threads() {
			pieces = min(pieces, rows/leastRows)
		}
		g.cutRows(max(g.down, pieces))
	}
	g.down, g.across = ceil(rows, g.unitRows), ceil(panels, g.unitPanels)
	return g
}

// evenest returns how many panels a unit has: n, or fewer where that leaves a thread with more to do than others.
func (g *grid) evenest(n, threads int) int {
	best, least := n, n*ceil(g.down*ceil(g.panels, n), threads)
	for n -= 2; n > 0; n -= 2 {
		if most := n * ceil(g.down*ceil(g.panels, n), threads); 50*most < 49*least {
			best, least = n, most
		}
	}
	return best
}

// cutRows cuts the rows into about n equal pieces of whole tiles.
func (g *grid) cutRows(n int) {
	g.unitRows = min(g.rows, ceil(ceil(g.rows, n), tileRows)*tileRows)
	g.down = ceil(g.rows, g.unitRows)
}

// run calls f with the number of every unit: on the pool, or here where the product is small.
func (g *grid) run(k *Kernels, f func(i int)) {
	if g.spread {
		k.Run(g.down*g.across, f)
		return
	}
	for i := range g.down * g.across {
		f(i)
	}
}

func (g *grid) unit(i int) unit {
	row := i / g.across * g.unitRows
	panel := i % g.across * g.unitPanels
	return unit{row, min(g.unitRows, g.rows-row), panel, min(g.unitPanels, g.panels-panel)}
}

func ceil(n, by int) int { return (n + by - 1) / by }
