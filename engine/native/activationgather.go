package native

import "parley/model/config"

// gatherCached brings together the activations of a layer for rows that sampling kept.
func (c *computation) gatherCached(i int) *activations {
	n := c.pass.rows()
	a := c.newActivations()
	a.x = c.arena.floats(n * c.shape.Hidden)
	c.newLowRank(i, a)
	to := a.perRow()
	c.parallel(n, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			from := c.cached[r]
			kept := from.pass.layers[i]
			for j, x := range kept.perRow() {
				width := len(to[j]) / n
				copy(row(to[j], r, width), row(x, from.row, width))
			}
			c.gatherLowRank(i, a, r)
		}
	})
	return a
}

// gatherLowRank brings those of the adapters of a row, whose places follow from the runs of its pass.
func (c *computation) gatherLowRank(i int, a *activations, r int) {
	from := c.cached[r]
	to, of := runOf(c.pass.runs, r), runOf(from.pass.runs, from.row)
	for p := range config.NumProjections {
		if l := to.policy.lora(i, p); l != nil {
			copy(rowOfRun(a.lowRank[p], c.pass.rows(), to, r, l.rank), rowOfRun(from.pass.layers[i].lowRank[p], from.pass.rows, of, from.row, l.rank))
		}
	}
}

// runOf is the run that a row belongs to.
func runOf(runs []run, row int) run {
	for _, r := range runs {
		if row < r.to {
			return r
		}
	}
	panic("internal error: a row of no run")
}

// rowOfRun is a row of u as [computation.lowRankOf] lays it out in a pass of so many rows: in every tile a run begins anew.
func rowOfRun(u []float32, rows int, r run, at, rank int) []float32 {
	most, from := len(u)/rows, max(r.from, rowTileStart(rows, at))
	return u[from*most+(at-from)*rank:][:rank]
}

// gatherOutput brings together what came out of the last layer.
func (c *computation) gatherOutput() []float32 {
	n, width := c.pass.rows(), c.shape.Hidden
	x := c.arena.floats(n * width)
	c.parallel(n, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			copy(row(x, r, width), row(c.cached[r].pass.output, c.cached[r].row, width))
		}
	})
	return x
}

// perRow lists the activations that have as many values for every row.
func (a *activations) perRow() [18][]float32 {
	return [...][]float32{
		a.x, a.mid, a.inv1, a.inv2, a.q, a.att, a.k, a.v, a.gate, a.up, a.qRaw, a.kRaw, a.qInv, a.kInv,
		a.raw1, a.raw2, a.rawInv1, a.rawInv2,
	}
}

// gatherLogits brings together those of tokens from, ..., to-1 for a range of targets, [targets, to-from], if sampling kept all of them.
func (h *head) gatherLogits(s targetRange, z []float32, from, to int) bool {
	for _, a := range h.targets[s.lo:s.hi] {
		if h.logitsAfter(a.row) == nil {
			return false
		}
	}
	h.parallel(s.hi-s.lo, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(row(z, i, to-from), h.logitsAfter(h.targets[s.lo+i].row)[from:to])
		}
	})
	return true
}

// logitsAfter are the logits that sampling drew a token by after a row, [vocab]; nil: they are not kept.
func (h *head) logitsAfter(row int) []float32 {
	if h.cached == nil {
		return nil
	}
	if from := h.cached[row]; from.pass.logits != nil {
		return from.pass.logits[from.row]
	}
	return nil
}
