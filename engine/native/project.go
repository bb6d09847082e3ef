package native

import (
	"parley/engine/native/kernel"
	"parley/model/config"
)

// project computes ys[j] (+)= x·Wⱼᵀ + bⱼ, for the projections of a group and all rows at once, and adds the adapters' parts.
func (c *computation) project(i int, s projectionGroup, a *activations, x []float32, accumulate bool, ys ...[]float32) {
	var matrices [3]*kernel.Matrix
	ps := projectionsOf(c.family, s)
	biased := false
	for j, p := range ps {
		l := &c.net.layers[i].proj[p]
		matrices[j], biased = l.matrix, biased || l.bias != nil
	}
	rank, most := c.widest(i, s)
	together := rank > 0 && !biased && c.fusesAdapters(most)
	if together {
		c.addAdapters(i, s, a, x, nil)
		c.k.MulAllPlus(ys, x, c.pass.rows(), matrices[:len(ps)], accumulate, c.lowRankOutputs(i, s, a))
		return
	}
	c.k.MulAllPrefetch(c.prefetchAdapters(i, s, most), ys, x, c.pass.rows(), matrices[:len(ps)], accumulate)
	if biased {
		c.addBiases(i, ps, ys)
	}
	c.addAdapters(i, s, a, x, ys)
}

// addBiases adds the biases that projections have.
func (c *computation) addBiases(i int, ps []config.Projection, ys [][]float32) {
	for j, p := range ps {
		if bias := c.net.layers[i].proj[p].bias; bias != nil {
			width := len(bias.w)
			c.parallel(c.pass.rows(), func(lo, hi int) {
				for r := lo; r < hi; r++ {
					c.k.Add(row(ys[j], r, width), bias.w)
				}
			})
		}
	}
}

// projectGrad takes the gradients dys of the outputs of a group's projections to dx, that of their input x (nil: not wanted), and
// accumulates those of weights, biases and adapters.
func (c *computation) projectGrad(i int, s projectionGroup, a *activations, dx, x []float32, dys ...[]float32) {
	before := c.arena.mark
	dz := c.adapterGrad(i, s, a, dys...)
	if dx != nil {
		c.inputGrad(i, s, dx, dz, dys...)
	}
	c.weightGrad(i, s, dz, x, dys...)
	c.arena.release(before)
}

// inputGrad takes dys, and dz of the adapters, to dx.
func (c *computation) inputGrad(i int, s projectionGroup, dx, dz []float32, dys ...[]float32) {
	n, ps := c.pass.rows(), projectionsOf(c.family, s)
	for j, p := range ps {
		w := c.net.layers[i].proj[p].matrix
		if j < len(ps)-1 {
			c.k.MulT(dx, dys[j], n, w, j > 0)
		} else {
			c.k.MulTPlus(dx, dys[j], n, w, j > 0, c.lowRankInputs(i, s, dz))
		}
	}
}

// weightGrad accumulates the gradients of whin a projection group multiplies its input x with: weights, biases, and the A matrices of the adapters,
// whose outputs have the gradients dz.
func (c *computation) weightGrad(i int, s projectionGroup, dz, x []float32, dys ...[]float32) {
	n := c.pass.rows()
	for j, p := range projectionsOf(c.family, s) {
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
	if c.runsInParallel(most) {
		c.k.Run(len(c.pass.runs), func(j int) { c.loraGradRun(i, s, c.pass.runs[j], dz, rank, x) })
	} else {
		for _, r := range c.pass.runs {
			c.loraGradRun(i, s, r, dz, rank, x)
		}
	}
}
