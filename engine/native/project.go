package native

import (
	"parley/engine/native/kernel"
	"parley/model/config"
)

// project computes ys[j] (+)= x·Wⱼᵀ + bⱼ, for the projections of a site and all rows at once, and adds the adapters' parts.
func (c *computation) project(i int, s site, a *activations, x []float32, accumulate bool, ys ...[]float32) {
	var matrices [3]*kernel.Matrix
	ps := projectionsAt(c.family, s)
	biased := false
	for j, p := range ps {
		l := &c.net.layers[i].proj[p]
		matrices[j], biased = l.matrix, biased || l.bias != nil
	}
	rank, most := c.widest(i, s)
	together := rank > 0 && !biased && c.joins(most)
	if together {
		c.adapt(i, s, a, x, nil)
		c.k.MulAllPlus(ys, x, c.pass.rows(), matrices[:len(ps)], accumulate, c.beside(i, s, a))
		return
	}
	c.k.MulAllBefore(c.adaptersSoon(i, s, most), ys, x, c.pass.rows(), matrices[:len(ps)], accumulate)
	if biased {
		c.addBiases(i, ps, ys)
	}
	c.adapt(i, s, a, x, ys)
}

// addBiases adds the biases that projections have.
func (c *computation) addBiases(i int, ps []config.Projection, ys [][]float32) {
	for j, p := range ps {
		if bias := c.net.layers[i].proj[p].bias; bias != nil {
			width := len(bias.w)
			c.spread(c.pass.rows(), func(lo, hi int) {
				for r := lo; r < hi; r++ {
					c.k.Add(row(ys[j], r, width), bias.w)
				}
			})
		}
	}
}

// joins reports whether adapters are added while the base's product is computed: unless there are several runs of a few rows, at
// most so many, each of which is better done by one thread.
func (c *computation) joins(most int) bool { return most > fewRows || len(c.pass.runs) == 1 }

// adaptersSoon lists the matrices of the adapters that come after the base's product, where reading them is all that they take: each is for a
// few rows.
func (c *computation) adaptersSoon(i int, s site, most int) *kernel.Soon {
	if most > fewRows {
		return nil
	}
	c.soon.Clear()
	for _, r := range c.pass.runs {
		if t := r.policy.at(i, s); t != nil {
			c.soon.Add(t.panel)
			t.each(func(_ int, l *lora, _ int) { c.soon.Add(l.panel) })
		}
	}
	return c.soon
}

// beside lists what adapters add to the outputs of each projection of a site, given u.
func (c *computation) beside(i int, s site, a *activations) [][]kernel.LowRank {
	ps := projectionsAt(c.family, s)
	for j, p := range ps {
		c.plus[j] = c.plus[j][:0]
		for _, r := range c.pass.runs {
			if l := r.policy.lora(i, p); l != nil {
				c.plus[j] = append(c.plus[j], kernel.LowRank{From: r.from, Rows: r.to - r.from, Z: c.lowRankOf(a, p, r, l), W: l.panel})
			}
		}
	}
	return c.plus[:len(ps)]
}

// fewRows is the number of rows of a run up to which runs are spread over the threads, not the rows of a run.
const fewRows = 32

// adapt leaves u = scale·x·Aᵀ of the adapters of each run, and adds to ys, unless there are none, what the adapters make of it.
func (c *computation) adapt(i int, s site, a *activations, x []float32, ys [][]float32) {
	rank, most := c.widest(i, s)
	if rank == 0 {
		return
	}
	before := c.arena.mark
	z := c.arena.floats(c.pass.rows() * rank)
	if c.apart(most) {
		c.k.Run(len(c.pass.runs), func(j int) { c.adaptRun(i, s, c.pass.runs[j], a, z, rank, x, ys) })
	} else {
		for _, r := range c.pass.runs {
			c.adaptRun(i, s, r, a, z, rank, x, ys)
		}
	}
	c.arena.release(before)
}

// adaptRun does one run, if it has adapters at the site; z is memory for the low-rank rows of all, of a rank at most.
func (c *computation) adaptRun(i int, s site, r run, a *activations, z []float32, rank int, x []float32, ys [][]float32) {
	t := r.policy.at(i, s)
	if t == nil {
		return
	}
	rows := r.to - r.from
	z = z[r.from*rank:][:rows*t.rank]
	c.mulRun(z, x[r.from*t.in:r.to*t.in], rows, t.panel, false)
	at := 0
	for j, p := range projectionsAt(c.family, s) {
		l := t.loras[j]
		if l == nil {
			continue
		}
		u := c.lowRankOf(a, p, r, l)
		l.move(u, l.rank, z[at:], t.rank, rows)
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

// lowRank makes room for the low-rank activations of all runs.
func (c *computation) lowRank(i int, a *activations) {
	for p := range config.NumProjections {
		rank := 0
		for _, r := range c.pass.runs {
			if l := r.policy.lora(i, p); l != nil {
				rank = max(rank, l.rank)
			}
		}
		a.u[p] = c.arena.floats(c.pass.rows() * rank)
	}
}

// lowRankOf returns u of a run's adapter, [rows, rank].
func (c *computation) lowRankOf(a *activations, p config.Projection, r run, l *lora) []float32 {
	most := len(a.u[p]) / c.pass.rows()
	return a.u[p][r.from*most:][:(r.to-r.from)*l.rank]
}

// projectGrad takes the gradients dys of the outputs of a site's projections to dx, that of their input x (nil: not wanted), and
// accumulates those of weights, biases and adapters.
func (c *computation) projectGrad(i int, s site, a *activations, dx, x []float32, dys ...[]float32) {
	before := c.arena.mark
	dz := c.adaptGrad(i, s, a, dys...)
	if dx != nil {
		c.inputGrad(i, s, dx, dz, dys...)
	}
	c.weightGrad(i, s, dz, x, dys...)
	c.arena.release(before)
}

// inputGrad takes dys, and dz of the adapters, to dx.
func (c *computation) inputGrad(i int, s site, dx, dz []float32, dys ...[]float32) {
	n, ps := c.pass.rows(), projectionsAt(c.family, s)
	for j, p := range ps {
		w := c.net.layers[i].proj[p].matrix
		if j < len(ps)-1 {
			c.k.MulT(dx, dys[j], n, w, j > 0)
		} else {
			c.k.MulTPlus(dx, dys[j], n, w, j > 0, c.under(i, s, dz))
		}
	}
}

// weightGrad accumulates the gradients of what a site multiplies its input x with: weights, biases, and the A matrices of the adapters,
// whose outputs have the gradients dz.
func (c *computation) weightGrad(i int, s site, dz, x []float32, dys ...[]float32) {
	n := c.pass.rows()
	for j, p := range projectionsAt(c.family, s) {
		l := &c.net.layers[i].proj[p]
		if l.weight.g == nil {
			continue
		}
		c.k.MulGrad(l.weight.g, dys[j], x, n, l.weight.shape[0], l.weight.shape[1])
		if l.bias != nil {
			c.columnSums(l.bias.g, dys[j], n)
		}
	}
	rank, most := c.widest(i, s)
	if rank == 0 {
		return
	}
	if c.apart(most) {
		c.k.Run(len(c.pass.runs), func(j int) { c.stackGradRun(i, s, c.pass.runs[j], dz, rank, x) })
	} else {
		for _, r := range c.pass.runs {
			c.stackGradRun(i, s, r, dz, rank, x)
		}
	}
}

// stackGradRun accumulates the gradients of the A matrices of one run, if it has adapters at the site.
func (c *computation) stackGradRun(i int, s site, r run, dz []float32, rank int, x []float32) {
	if t := r.policy.at(i, s); t != nil {
		c.k.MulGrad(t.g, dz[r.from*rank:], x[r.from*t.in:], r.to-r.from, t.rank, t.in)
	}
}

// widest returns the most rank at a site, and the most rows, of a run with adapters there.
func (c *computation) widest(i int, s site) (rank, rows int) {
	for _, r := range c.pass.runs {
		if t := r.policy.at(i, s); t != nil {
			rank, rows = max(rank, t.rank), max(rows, r.to-r.from)
		}
	}
	return rank, rows
}

// apart says whether each run is the job of one thread: where there are many, or none has more than a few rows. Else they go one
// after the other. A pass that is kept has one run for each policy, so that no two threads add to one gradient.
func (c *computation) apart(most int) bool {
	return most <= fewRows || len(c.pass.runs) >= 4*c.k.Threads()
}

// gradRows is how many rows go through all products of adaptGradRows before the next ones: what one product reads, the next one
// finds in the caches.
const gradRows = 256

// adaptGrad accumulates the gradients of the B matrices of the adapters at a site, and returns dz, those of what enters them, for
// each run [its rows, its rank] with room for a rank at most; nil where there are no adapters.
func (c *computation) adaptGrad(i int, s site, a *activations, dys ...[]float32) []float32 {
	rank, most := c.widest(i, s)
	if rank == 0 {
		return nil
	}
	dz := c.arena.floats(c.pass.rows() * rank)
	if c.apart(most) {
		c.k.Run(len(c.pass.runs), func(j int) { c.adaptGradRun(i, s, c.pass.runs[j], a, dz, rank, dys) })
	} else {
		for _, r := range c.pass.runs {
			c.adaptGradRun(i, s, r, a, dz, rank, dys)
		}
	}
	return dz
}

// under lists what the adapters at a site add to the gradient of its input.
func (c *computation) under(i int, s site, dz []float32) []kernel.LowRank {
	rank, _ := c.widest(i, s)
	c.plus[0] = c.plus[0][:0]
	for _, r := range c.pass.runs {
		if t := r.policy.at(i, s); t != nil {
			c.plus[0] = append(c.plus[0], kernel.LowRank{From: r.from, Rows: r.to - r.from, Z: dz[r.from*rank:], W: t.panel})
		}
	}
	return c.plus[0]
}

// adaptGradRun does one run, if it has adapters at the site, and leaves [its rows, its rank] in dz, which has room for a rank at most.
func (c *computation) adaptGradRun(i int, s site, r run, a *activations, dz []float32, rank int, dys [][]float32) {
	t := r.policy.at(i, s)
	if t == nil {
		return
	}
	dz = dz[r.from*rank:]
	b := c.scratch.get(t.turnedFloats() + gradRows*t.rank)
	defer c.scratch.put(b)
	buf := cutter(b.floats)
	turned, du := buf.cut(t.turnedFloats()), buf.cut(gradRows*t.rank)
	t.turn(turned)
	for from := r.from; from < r.to; from += gradRows {
		c.adaptGradRows(s, t, r, from, min(gradRows, r.to-from), a, dz[(from-r.from)*t.rank:], du, dys, turned)
	}
	t.turnBack(turned)
}

// adaptGradRows does rows from, from+1, ... of a run. turned are the gradients of the B matrices, see [stack.rotateWith].
func (c *computation) adaptGradRows(s site, t *stack, r run, from, rows int, a *activations, dz, du []float32, dys [][]float32, turned []float32) {
	at := 0
	for j, p := range projectionsAt(c.family, s) {
		l := t.loras[j]
		if l == nil {
			continue
		}
		out := l.b.shape[0]
		dy := dys[j][from*out:][:rows*out]
		c.k.MulT(du[:rows*l.rank], dy, rows, l.panel, false) // goes along the rows of dy, and so is the better one to bring them in
		l.move(dz[at:], t.rank, du, l.rank, rows)
		at += l.rank
		c.k.MulGrad(turned[:out*l.rank], c.lowRankOf(a, p, r, l)[(from-r.from)*l.rank:], dy, rows, l.rank, out)
		turned = turned[out*l.rank:]
	}
}
