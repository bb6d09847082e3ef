package native

// backward takes the gradient of the hidden states after the final norm through the net, and accumulates those of all
// trainable parameters.
func (c *computation) backward(dh []float32) {
	n, width := c.pass.rows(), c.shape.Hidden
	dx := c.zeros(n * width)
	c.normsGrad(dx, dh, c.output, c.net.norm, c.inv)
	for i := len(c.net.layers) - 1; i >= 0; i-- {
		before := c.arena.mark
		c.layerBackward(i, dx)
		c.arena.release(before)
	}
	table := c.net.embed.g
	if c.net.embed.lookupGrad != nil {
		table = c.net.embed.lookupGrad
	}
	if table != nil {
		if s := float32(c.shape.EmbeddingScale()); s != 1 {
			c.k.Scale(dx, s)
		}
		for i, t := range c.pass.tokens {
			c.k.Add(row(table, t, width), row(dx, i, width))
		}
	}
}

// activations are those of layer i: kept since the forward pass, or brought back.
func (c *computation) activations(i int) *activations {
	if c.cached != nil {
		return c.gatherCached(i)
	}
	if i < c.recomputed {
		return c.recompute(i)
	}
	return c.saved[i]
}

// layerBackward turns dx, the gradient of layer i's output, into that of its input.
func (c *computation) layerBackward(i int, dx []float32) {
	n, g := c.pass.rows(), c.shape
	a := c.activations(i)
	datt, dq := c.arena.floats(n*g.QueryWidth()), c.arena.floats(n*g.QueryWidth())
	dk, dv := c.arena.floats(n*g.KeyWidth()), c.arena.floats(n*g.KeyWidth())
	c.eachRowTile(func(b *rowTile) { b.mlpBlockGrad(i, b.activationsOf(a), b.rows(dx), b.rows(datt)) })
	c.attendBackward(i, a, datt, dq, dk, dv)
	c.eachRowTile(func(b *rowTile) {
		b.attentionInputsGrad(i, b.activationsOf(a), b.rows(dx), b.rows(dq), b.rows(dk), b.rows(dv))
	})
}

// mlpBlockGrad turns dx, the gradient of layer i's output, into that of a.mid, and computes datt, that of a.att. It overwrites
// a.gate and a.up.
func (c *computation) mlpBlockGrad(i int, a *activations, dx, datt []float32) {
	l := &c.net.layers[i]
	dnormed := c.arena.floats(len(dx))
	dgate, dup := c.mlpOutGrad(i, a, c.blockGrad(dx, l.post2, a.raw2, a.rawInv2))
	normed := c.blockInputAgain(a.mid, l.norm2, a.inv2)
	if c.family.Fused {
		c.projectFusedGrad(i, mlpIn, a, dnormed, normed, dgate, dup)
	} else {
		c.projectGrad(i, mlpIn, a, dnormed, normed, dgate, dup)
	}
	c.blockInputGrad(dx, dnormed, a.mid, l.norm2, a.inv2)
	c.projectGrad(i, attentionOut, a, datt, a.att, c.blockGrad(dx, l.post1, a.raw1, a.rawInv1))
}

// mlpOutGrad takes dy, the gradient of the MLP's last projection, to those of gate and up, in their place. The input of the
// projection is needed only for the gradients of its weights. gatedGrad computes it again as a by-product.
func (c *computation) mlpOutGrad(i int, a *activations, dy []float32) (dgate, dup []float32) {
	before := c.arena.mark
	act := c.arena.floats(len(a.gate))
	dz := c.adapterGrad(i, mlpOut, a, dy)
	c.inputGrad(i, mlpOut, act, dz, dy)
	c.gatedGrad(a.gate, a.up, act)
	c.weightGrad(i, mlpOut, dz, act, dy)
	c.arena.release(before)
	return a.gate, a.up
}

// attentionInputsGrad adds to dx, the gradient of a.mid, what comes through queries, keys and values, whose gradients it
// overwrites.
func (c *computation) attentionInputsGrad(i int, a *activations, dx, dq, dk, dv []float32) {
	l := &c.net.layers[i]
	dnormed := c.arena.floats(len(dx))
	if c.shape.Rotates(i) {
		c.rotateWith(i, dq, dk, c.k.RopeGrad)
	}
	dq, dk = c.headNormsGrad(l, a, dq, dk)
	normed := c.blockInputAgain(a.x, l.norm1, a.inv1)
	if i == 0 && c.net.embed.g == nil {
		dnormed = nil // below the first layer only a trained embedding wants a gradient
	}
	if c.family.Fused {
		c.projectFusedGrad(i, attentionIn, a, dnormed, normed, dq, dk, dv)
	} else {
		c.projectGrad(i, attentionIn, a, dnormed, normed, dq, dk, dv)
	}
	if dnormed != nil {
		c.blockInputGrad(dx, dnormed, a.x, l.norm1, a.inv1)
	}
}

// blockInputGrad adds to dx, the gradient of the residual stream x, what comes through what a block reads of it.
func (c *computation) blockInputGrad(dx, dnormed, x []float32, w *param, inv []float32) {
	if w != nil {
		c.normsGrad(dx, dnormed, x, w, inv)
		return
	}
	width := c.shape.Hidden
	c.parallel(len(inv), func(lo, hi int) { c.k.Add(dx[lo*width:hi*width], dnormed[lo*width:hi*width]) })
}

// blockInputAgain computes what a block reads again, which costs less than the memory to keep it.
func (c *computation) blockInputAgain(x []float32, w *param, inv []float32) []float32 {
	if w == nil {
		return x
	}
	y, width := c.arena.floats(len(x)), len(w.scale)
	c.parallel(len(inv), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			c.k.RMSNorm(row(y, r, width), row(x, r, width), w.scale, float32(c.shape.NormEps))
		}
	})
	return y
}

// normsGrad adds to dx the gradient of norm inputs x, and accumulates that of the norm's weight.
func (c *computation) normsGrad(dx, dy, x []float32, w *param, inv []float32) {
	width := len(w.scale)
	c.parallel(len(inv), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			c.k.RMSNormGrad(row(dx, r, width), row(dy, r, width), row(x, r, width), w.scale, inv[r])
		}
	})
	if w.g == nil {
		return
	}
	c.parallelColumns(width, func(lo, hi int) {
		g := w.g[lo:hi]
		for r, s := range inv {
			y, x := row(dy, r, width)[lo:hi], row(x, r, width)[lo:hi]
			for j := range g {
				g[j] += float32(float32(y[j]*x[j]) * s)
			}
		}
	})
}

// columnSums adds the sum of the rows of dy to g.
func (c *computation) columnSums(g, dy []float32, rows int) {
	width := len(g)
	c.parallelColumns(width, func(lo, hi int) {
		for r := range rows {
			c.k.Add(g[lo:hi], row(dy, r, width)[lo:hi])
		}
	})
}

// parallelColumns calls f for pieces of the columns 0, ..., n-1 on all threads: each column's sum over rows is one chain.
func (c *computation) parallelColumns(n int, f func(lo, hi int)) {
	const size = 32
	c.k.Run((n+size-1)/size, func(i int) { f(i*size, min(n, (i+1)*size)) })
}

// headNormsGrad takes dq and dk through the norms of queries and keys, where the family has them.
func (c *computation) headNormsGrad(l *layer, a *activations, dq, dk []float32) (dqRaw, dkRaw []float32) {
	if l.qNorm == nil {
		return dq, dk
	}
	dqRaw, dkRaw = c.zeros(len(dq)), c.zeros(len(dk))
	c.normsGrad(dqRaw, dq, a.qRaw, l.qNorm, a.qInv)
	c.normsGrad(dkRaw, dk, a.kRaw, l.kNorm, a.kInv)
	return dqRaw, dkRaw
}
