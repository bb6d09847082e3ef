package native

// addBlock adds to y what a block returns, its last projection of x, through the norm after the block or times the family's
// multiplier, where there is one.
func (c *computation) addBlock(i int, s projectionGroup, a *activations, y, x []float32) {
	if c.family.PostNorms {
		c.addNormedBlock(i, s, a, y, x)
		return
	}
	scale := float32(c.shape.ResidualScale())
	if scale == 1 {
		c.project(i, s, a, x, true, y)
		return
	}
	out, width := c.arena.floats(len(y)), c.shape.Hidden
	c.project(i, s, a, x, false, out)
	c.parallel(c.pass.rows(), func(lo, hi int) { c.k.AddScaled(y[lo*width:hi*width], scale, out[lo*width:hi*width]) })
}

func (c *computation) addNormedBlock(i int, s projectionGroup, a *activations, y, x []float32) {
	l := &c.net.layers[i]
	norm, raw, inv := l.post1, a.raw1, a.rawInv1
	if s == mlpOut {
		norm, raw, inv = l.post2, a.raw2, a.rawInv2
	}
	c.project(i, s, a, x, false, raw)
	normed, width := c.arena.floats(len(raw)), c.shape.Hidden
	c.norms(normed, raw, norm, inv)
	c.parallel(c.pass.rows(), func(lo, hi int) { c.k.Add(y[lo*width:hi*width], normed[lo*width:hi*width]) })
}

// blockGrad takes the gradient of the residual stream to that of a block's last projection, through the norm after the block or times
// the family's multiplier.
func (c *computation) blockGrad(dx []float32, norm *param, raw, inv []float32) []float32 {
	if norm != nil {
		d := c.zeros(len(dx))
		c.normsGrad(d, dx, raw, norm, inv)
		return d
	}
	scale := float32(c.shape.ResidualScale())
	if scale == 1 {
		return dx
	}
	d := c.zeros(len(dx))
	c.parallel(len(dx), func(lo, hi int) { c.k.AddScaled(d[lo:hi], scale, dx[lo:hi]) })
	return d
}

// projectFused computes a projection whose outputs are several things: each row of x·Wᵀ is cut into one row of each part.
func (c *computation) projectFused(i int, s projectionGroup, a *activations, x []float32, parts ...[]float32) {
	out, _ := c.shape.Widths(projectionsOf(c.family, s)[0])
	y := c.arena.floats(c.pass.rows() * out)
	c.project(i, s, a, x, false, y)
	c.splitRows(y, out, parts, func(whole, part []float32) { copy(part, whole) })
}

// projectFusedGrad is [computation.projectGrad] of a fused projection, given the gradients of its parts; dx is overwritten.
func (c *computation) projectFusedGrad(i int, s projectionGroup, a *activations, dx, x []float32, parts ...[]float32) {
	out, _ := c.shape.Widths(projectionsOf(c.family, s)[0])
	dy := c.arena.floats(c.pass.rows() * out)
	c.splitRows(dy, out, parts, func(whole, part []float32) { copy(whole, part) })
	c.projectGrad(i, s, a, dx, x, dy)
}

// splitRows calls f with the pieces that each row of y, width wide, consists of, and the rows of parts that they belong to.
func (c *computation) splitRows(y []float32, width int, parts [][]float32, f func(whole, part []float32)) {
	rows := c.pass.rows()
	c.parallel(rows, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			whole := row(y, r, width)
			for _, part := range parts {
				n := len(part) / rows
				f(whole[:n], row(part, r, n))
				whole = whole[n:]
			}
		}
	})
}
