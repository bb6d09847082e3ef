package kernel

// A unit is the part of a product that one thread computes at a time: some rows of some panels of the result.
type unit struct {
	row, rows     int
	panel, panels int
}

// A grid cuts the result of a product [rows, 16·panels] into units. The units of a panel follow each other, so that a thread's
// share of them reads its own part of the weights.
type grid struct {
	rows, panels         int
	unitRows, unitPanels int
	down, across         int // units
	spread               bool
}

// newGrid cuts a product of the given depth into units of at most unitRows rows and of about unitWork multiply-adds.
func newGrid(k *Kernels, rows, panels, depth, unitRows int) grid {
	g := grid{rows: rows, panels: panels, unitRows: min(unitRows, rows), unitPanels: panels}
	if rows == 0 || panels == 0 {
		return g
	}
	if g.spread = k.Threads() > 1 && rows*panels*panelWidth*depth >= inlineWork; g.spread {
		work := max(1, g.unitRows*depth*panelWidth)
		g.unitPanels = min(max(2, unitWork/work), ceil(panels, k.Threads()))
	}
	g.down, g.across = ceil(rows, g.unitRows), ceil(panels, g.unitPanels)
	return g
}

// run calls f for every unit, with memory to work in: on the team, or here where the product is small.
func (g grid) run(k *Kernels, f func(unit, *scratch)) {
	if g.spread {
		k.Run(g.down*g.across, func(i int) {
			s := scratchPool.Get().(*scratch)
			f(g.unit(i), s)
			scratchPool.Put(s)
		})
		return
	}
	s := scratchPool.Get().(*scratch)
	for i := range g.down * g.across {
		f(g.unit(i), s)
	}
	scratchPool.Put(s)
}

func (g grid) unit(i int) unit {
	row := i % g.down * g.unitRows
	panel := i / g.down * g.unitPanels
	return unit{row, min(g.unitRows, g.rows-row), panel, min(g.unitPanels, g.panels-panel)}
}

func ceil(n, by int) int { return (n + by - 1) / by }
