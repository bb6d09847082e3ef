package native

import (
	"parley/engine/native/kernel"
	"parley/model/config"
)

// fewRows is the number of rows of a run up to which runs are spread over the threads, not the rows of a run.
const fewRows = 32

// fusesAdapters reports whether adapters are added while the base's product is computed: unless there are several runs of a few rows, at
// most so many, each of which is better done by one thread.
func (c *computation) fusesAdapters(most int) bool { return most > fewRows || len(c.pass.runs) == 1 }

// runsInParallel says whether each run is the job of one thread: where there are many, or none has more than a few rows. Else they go one
// after the other. A pass that is kept has one run for each policy, so that no two threads add to one gradient.
func (c *computation) runsInParallel(most int) bool {
	return most <= fewRows || len(c.pass.runs) >= 4*c.k.Threads()
}

// prefetchAdapters lists the matrices of the adapters that come after the base's product, where reading them is all that they take: each is for a
// few rows.
func (c *computation) prefetchAdapters(i int, s projectionGroup, most int) *kernel.Prefetch {
	if most > fewRows {
		return nil
	}
	c.prefetch.Clear()
	for _, r := range c.pass.runs {
		if t := r.policy.loraGroup(i, s); t != nil {
			c.prefetch.Add(t.panel)
			t.each(func(_ int, l *lora, _ int) { c.prefetch.Add(l.panel) })
		}
	}
	return c.prefetch
}

// lowRankOutputs lists what adapters add to the outputs of each projection of a group, given their low-rank activations.
func (c *computation) lowRankOutputs(i int, s projectionGroup, a *activations) [][]kernel.LowRank {
	ps := projectionsOf(c.family, s)
	for j, p := range ps {
		c.lowRanks[j] = c.lowRanks[j][:0]
		for _, r := range c.pass.runs {
			if l := r.policy.lora(i, p); l != nil {
				c.lowRanks[j] = append(c.lowRanks[j], kernel.LowRank{From: r.from, Rows: r.to - r.from, Z: c.lowRankOf(a, p, r, l), W: l.panel})
			}
		}
	}
	return c.lowRanks[:len(ps)]
}

// lowRankInputs lists what the adapters in a projection group add to the gradient of its input.
func (c *computation) lowRankInputs(i int, s projectionGroup, dz []float32) []kernel.LowRank {
	rank, _ := c.widest(i, s)
	c.lowRanks[0] = c.lowRanks[0][:0]
	for _, r := range c.pass.runs {
		if t := r.policy.loraGroup(i, s); t != nil {
			c.lowRanks[0] = append(c.lowRanks[0], kernel.LowRank{From: r.from, Rows: r.to - r.from, Z: dz[r.from*rank:], W: t.panel})
		}
	}
	return c.lowRanks[0]
}

// widest returns the most rank in a projection group, and the most rows, of a run with adapters there.
func (c *computation) widest(i int, s projectionGroup) (rank, rows int) {
	for _, r := range c.pass.runs {
		if t := r.policy.loraGroup(i, s); t != nil {
			rank, rows = max(rank, t.rank), max(rows, r.to-r.from)
		}
	}
	return rank, rows
}

// newLowRank makes room for the low-rank activations of all runs.
func (c *computation) newLowRank(i int, a *activations) {
	for p := range config.NumProjections {
		rank := 0
		for _, r := range c.pass.runs {
			if l := r.policy.lora(i, p); l != nil {
				rank = max(rank, l.rank)
			}
		}
		a.lowRank[p] = c.arena.floats(c.pass.rows() * rank)
	}
}

// lowRankOf returns u = scale·x·Aᵀ of a run's adapter, [rows, rank].
func (c *computation) lowRankOf(a *activations, p config.Projection, r run, l *lora) []float32 {
	most := len(a.lowRank[p]) / c.pass.rows()
	return a.lowRank[p][r.from*most:][:(r.to-r.from)*l.rank]
}

// addAdapters leaves u = scale·x·Aᵀ of the adapters of each run, and adds to ys, unless there are none, what the adapters make of it.
func (c *computation) addAdapters(i int, s projectionGroup, a *activations, x []float32, ys [][]float32) {
	rank, most := c.widest(i, s)
	if rank == 0 {
		return
	}
	before := c.arena.mark
	z := c.arena.floats(c.pass.rows() * rank)
	if c.runsInParallel(most) {
		c.k.Run(len(c.pass.runs), func(j int) { c.addAdaptersRun(i, s, c.pass.runs[j], a, z, rank, x, ys) })
	} else {
		for _, r := range c.pass.runs {
			c.addAdaptersRun(i, s, r, a, z, rank, x, ys)
		}
	}
	c.arena.release(before)
}

// addAdaptersRun does one run, if it has adapters in the group; z is memory for the low-rank rows of all, of a rank at most.
func (c *computation) addAdaptersRun(i int, s projectionGroup, r run, a *activations, z []float32, rank int, x []float32, ys [][]float32) {
	t := r.policy.loraGroup(i, s)
	if t == nil {
		return
	}
	rows := r.to - r.from
	z = z[r.from*rank:][:rows*t.rank]
	c.mulRun(z, x[r.from*t.in:r.to*t.in], rows, t.panel, false)
	at := 0
	for j, p := range projectionsOf(c.family, s) {
		l := t.loras[j]
		if l == nil {
			continue
		}
		u := c.lowRankOf(a, p, r, l)
		l.scaleInto(u, l.rank, z[at:], t.rank, rows)
		at += l.rank
		if ys != nil {
			out := l.panel.Out // of memory that the product reads anyway
			c.mulRun(ys[j][r.from*out:r.to*out], u, rows, l.panel, true)
		}
	}
}

// mulRun is the product of the rows of a run. Where runs of a few rows are spread over the threads, it is not.
func (c *computation) mulRun(y, x []float32, rows int, w *kernel.Matrix, accumulate bool) {
	if rows <= fewRows && len(c.pass.runs) > 1 {
		c.k.MulSmall(y, x, rows, w, accumulate)
		return
	}
	c.k.Mul(y, x, rows, w, accumulate)
}

// gradRows is how many rows go through all products of adaptGradRows before the next ones: what one product reads, the next one
// finds in the caches.
const gradRows = 256

// adapterGrad accumulates the gradients of the B matrices of the adapters in a projection group, and returns dz, those of what enters them, for
// each run [its rows, its rank] with room for a rank at most; nil where there are no adapters.
func (c *computation) adapterGrad(i int, s projectionGroup, a *activations, dys ...[]float32) []float32 {
	rank, most := c.widest(i, s)
	if rank == 0 {
		return nil
	}
	dz := c.arena.floats(c.pass.rows() * rank)
	if c.runsInParallel(most) {
		c.k.Run(len(c.pass.runs), func(j int) { c.adapterGradRun(i, s, c.pass.runs[j], a, dz, rank, dys) })
	} else {
		for _, r := range c.pass.runs {
			c.adapterGradRun(i, s, r, a, dz, rank, dys)
		}
	}
	return dz
}

// adapterGradRun does one run, if it has adapters in the group, and leaves [its rows, its rank] in dz, which has room for a rank at most.
func (c *computation) adapterGradRun(i int, s projectionGroup, r run, a *activations, dz []float32, rank int, dys [][]float32) {
	t := r.policy.loraGroup(i, s)
	if t == nil {
		return
	}
	dz = dz[r.from*rank:]
	b := c.scratch.get(t.transposedFloats() + gradRows*t.rank)
	defer c.scratch.put(b)
	buf := cutter(b.floats)
	transposed, du := buf.cut(t.transposedFloats()), buf.cut(gradRows*t.rank)
	t.transposeGrads(transposed)
	for from := r.from; from < r.to; from += gradRows {
		c.adapterGradRows(s, t, r, from, min(gradRows, r.to-from), a, dz[(from-r.from)*t.rank:], du, dys, transposed)
	}
	t.storeGrads(transposed)
}

// adapterGradRows does rows from, from+1, ... of a run. transposed are the gradients of the B matrices, see [loraGroup.transposeGrads].
func (c *computation) adapterGradRows(s projectionGroup, t *loraGroup, r run, from, rows int, a *activations, dz, du []float32, dys [][]float32, transposed []float32) {
	at := 0
	for j, p := range projectionsOf(c.family, s) {
		l := t.loras[j]
		if l == nil {
			continue
		}
		out := l.b.shape[0]
		dy := dys[j][from*out:][:rows*out]
		c.k.MulT(du[:rows*l.rank], dy, rows, l.panel, false) // goes along the rows of dy, and so is the better one to bring them in
		l.scaleInto(dz[at:], t.rank, du, l.rank, rows)
		at += l.rank
		c.k.MulGrad(transposed[:out*l.rank], c.lowRankOf(a, p, r, l)[(from-r.from)*l.rank:], dy, rows, l.rank, out)
		transposed = transposed[out*l.rank:]
	}
}

// loraGradRun accumulates the gradients of the A matrices of one run, if it has adapters in the group.
func (c *computation) loraGradRun(i int, s projectionGroup, r run, dz []float32, rank int, x []float32) {
	if t := r.policy.loraGroup(i, s); t != nil {
		c.k.MulGrad(t.g, dz[r.from*rank:], x[r.from*t.in:], r.to-r.from, t.rank, t.in)
	}
}
