package native

// forward computes the hidden states of all rows.
func (c *computation) forward() {
	n, width := c.pass.rows(), c.shape.Hidden
	c.ropeTables.grow(c.pass)
	if c.cached != nil {
		c.output = c.gatherOutput()
	} else {
		c.output = c.layers(c.embeddings())
	}
	c.inv, c.hidden = c.arena.floats(n), c.arena.floats(n*width)
	c.norms(c.hidden, c.output, c.net.norm, c.inv)
}

// embeddings is what enters the first layer.
func (c *computation) embeddings() []float32 {
	n, width := c.pass.rows(), c.shape.Hidden
	x := c.arena.floats(n * width)
	c.parallel(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			c.net.embedding(row(x, i, width), c.pass.tokens[i])
		}
	})
	if s := float32(c.shape.EmbeddingScale()); s != 1 {
		c.k.Scale(x, s)
	}
	return x
}

// layers takes x through all layers. Activations that a backward pass needs are kept, but for the first layers where memory
// does not suffice: of those, what enters the layer is kept alone.
func (c *computation) layers(x []float32) []float32 {
	if !c.keep {
		a := c.newActivations()
		a.x, a.mid = x, x // nothing reads what was before: the copies between them are none
		for i := range c.net.layers {
			c.layer(i, a, x)
		}
		return x
	}
	for i := range c.net.layers {
		next := c.arena.floats(len(x))
		before := c.arena.mark
		a := &activations{x: x}
		if i < c.recomputed {
			whole := c.newActivations()
			whole.x = x
			c.layer(i, whole, next)
			c.arena.release(before)
		} else {
			a = c.newActivations()
			a.x = x
			c.layer(i, a, next)
		}
		c.saved = append(c.saved, a)
		x = next
	}
	return x
}

// recompute brings back the activations of a layer that kept none.
func (c *computation) recompute(i int) *activations {
	a := c.newActivations()
	a.x = c.saved[i].x
	c.newLowRank(i, a)
	c.attentionBlock(i, a)
	c.eachRowTile(func(b *rowTile) {
		a := b.activationsOf(a)
		act := b.mlpBlock(i, a, nil)
		if c.family.PostNorms {
			b.addBlock(i, mlpOut, a, c.arena.floats(len(a.x)), act)
		} else {
			b.addAdapters(i, mlpOut, a, act, nil)
		}
	})
	return a
}

// layer computes next = the output of layer i for a.x. Without kept activations next is a.x itself.
func (c *computation) layer(i int, a *activations, next []float32) {
	before := c.arena.mark
	c.newLowRank(i, a)
	if c.keep {
		before = c.arena.mark
	}
	c.attentionBlock(i, a)
	c.eachRowTile(func(b *rowTile) {
		a, next := b.activationsOf(a), b.rows(next)
		act := b.mlpBlock(i, a, next)
		b.addBlock(i, mlpOut, a, next, act)
	})
	c.arena.release(before)
}

// attentionBlock computes everything of layer i up to a.att, and leaves in a.mid what its projection is to be added to.
func (c *computation) attentionBlock(i int, a *activations) {
	c.eachRowTile(func(b *rowTile) { b.attentionInputs(i, b.activationsOf(a)) })
	c.attend(i, a)
}

// attentionInputs computes queries, keys and values of layer i, and leaves a.x in a.mid.
func (c *computation) attentionInputs(i int, a *activations) {
	l := &c.net.layers[i]
	normed := c.blockInput(a.mid, a.x, l.norm1, a.inv1)
	q, k := a.q, a.k
	if l.qNorm != nil {
		q, k = a.qRaw, a.kRaw
	}
	if c.family.Fused {
		c.projectFused(i, attentionIn, a, normed, q, k, a.v)
	} else {
		c.project(i, attentionIn, a, normed, false, q, k, a.v)
	}
	c.headNorms(l, a)
	if c.shape.Rotates(i) {
		c.rotate(i, a)
	}
}

// mlpBlock computes everything of layer i from a.att up to what enters its last projection, [rows, intermediate]. It leaves in
// next, unless that is nil, what the last projection is to be added to.
func (c *computation) mlpBlock(i int, a *activations, next []float32) []float32 {
	l := &c.net.layers[i]
	c.addBlock(i, attentionOut, a, a.mid, a.att)
	normed := c.blockInput(next, a.mid, l.norm2, a.inv2)
	if c.family.Fused {
		c.projectFused(i, mlpIn, a, normed, a.gate, a.up)
	} else {
		c.project(i, mlpIn, a, normed, false, a.gate, a.up)
	}
	act := c.arena.floats(len(a.gate))
	c.gated(act, a)
	return act
}

// norms computes y = RMSNorm(x)·w row by row.
func (c *computation) norms(y, x []float32, w *param, inv []float32) {
	c.normsCopying(y, nil, x, w, inv)
}

// blockInput is what a block reads of the residual stream x, which it copies to residual, unless that is nil: the norm of it, or in
// families without norms before blocks x itself.
func (c *computation) blockInput(residual, x []float32, w *param, inv []float32) []float32 {
	if w == nil {
		width := c.shape.Hidden
		c.parallel(len(inv), func(lo, hi int) {
			if residual != nil {
				copy(residual[lo*width:hi*width], x[lo*width:hi*width])
			}
		})
		return x
	}
	normed := c.arena.floats(len(x))
	c.normsCopying(normed, residual, x, w, inv)
	return normed
}

// normsCopying is norms at the beginning of a block, which also copies x to residual, unless that is nil: what the block returns is
// added there.
func (c *computation) normsCopying(y, residual, x []float32, w *param, inv []float32) {
	width, eps := len(w.scale), float32(c.shape.NormEps)
	c.parallel(len(inv), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			inv[r] = c.k.RMSNorm(row(y, r, width), row(x, r, width), w.scale, eps)
			if residual != nil {
				copy(row(residual, r, width), row(x, r, width))
			}
		}
	})
}

// headNorms normalises queries and keys where the family does so.
func (c *computation) headNorms(l *layer, a *activations) {
	if l.qNorm != nil {
		c.norms(a.q, a.qRaw, l.qNorm, a.qInv)
		c.norms(a.k, a.kRaw, l.kNorm, a.kInv)
	}
}

// rotate turns queries and keys to their positions.
func (c *computation) rotate(i int, a *activations) { c.rotateWith(i, a.q, a.k, c.k.Rope) }

// rotateWith calls f, a rotation or its inverse, for every head of q and k in layer i.
func (c *computation) rotateWith(i int, q, k []float32, f func(x, cos, sin []float32)) {
	chunks, local := c.pass.chunks, c.shape.UsesLocalRope(i)
	c.parallel(c.pass.rows(), func(lo, hi int) {
		for j := c.pass.chunkOf(lo); j < len(chunks) && chunks[j].row < hi; j++ {
			ch := &chunks[j]
			t := ch.global
			if local {
				t = ch.local
			}
			for r := max(lo, ch.row); r < min(hi, ch.row+ch.n); r++ {
				c.rotateRow(t, r, q, k, f)
			}
		}
	})
}

func (c *computation) rotateRow(t *ropeTable, r int, q, k []float32, f func(x, cos, sin []float32)) {
	d := c.shape.HeadDim
	width := c.shape.Rope.Width(d)
	cos, sin := t.at(c.pass.at[r])
	for h := range c.shape.Heads {
		f(row(q, r*c.shape.Heads+h, d)[:width], cos, sin)
	}
	for h := range c.shape.KVHeads {
		f(row(k, r*c.shape.KVHeads+h, d)[:width], cos, sin)
	}
}
