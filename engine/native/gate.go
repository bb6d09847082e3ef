package native

import "math"

// gated computes act = f(gate)·up, where f is SiLU or, in some families, GELU.
func (c *computation) gated(act []float32, a *activations) {
	width := c.shape.Intermediate
	c.parallel(c.pass.rows(), func(lo, hi int) {
		y, gate, up := act[lo*width:hi*width], a.gate[lo*width:hi*width], a.up[lo*width:hi*width]
		if c.family.GELU {
			c.geglu(y, gate, up)
		} else {
			c.k.SwiGLU(y, gate, up)
		}
	})
}

// gatedGrad turns gate and up into their gradients, given that of what gated makes of them, and that into what gated made of them.
func (c *computation) gatedGrad(gate, up, act []float32) {
	width := c.shape.Intermediate
	c.parallel(c.pass.rows(), func(lo, hi int) {
		g, u, y := gate[lo*width:hi*width], up[lo*width:hi*width], act[lo*width:hi*width]
		if c.family.GELU {
			c.gegluGrad(g, u, y)
		} else {
			c.k.SwiGLUGrad(g, u, y)
		}
	})
}

// GELU in its tanh form (Hendrycks & Gimpel 2016, §2) is g·(1 + tanh z)/2 = g·σ(2z) with z = sqrt(2/π)·(g + 0.044715·g³).
const geluCubic = 0.044715

var geluSlope = float32(2 * math.Sqrt(2/math.Pi))

// sigmoids computes s = σ(2z) for every gate. Conversions keep products from being fused into sums, on any processor.
func (c *computation) sigmoids(s, gate []float32) {
	for i, g := range gate {
		cubic := float32(float32(g*g)*g) * geluCubic
		s[i] = -float32(geluSlope * float32(g+cubic))
	}
	c.k.Exp(s, s)
	for i, e := range s {
		s[i] = 1 / (1 + e)
	}
}

// geglu computes y = GELU(gate)·up.
func (c *computation) geglu(y, gate, up []float32) {
	c.sigmoids(y, gate)
	for i, s := range y {
		y[i] = float32(gate[i]*s) * up[i]
	}
}

// gegluGrad is SwiGLUGrad with GELU: with s = σ(2z), d(g·s)/dg = s + g·s·(1-s)·2z'.
func (c *computation) gegluGrad(gate, up, y []float32) {
	b := c.scratch.get(len(gate))
	defer c.scratch.put(b)
	c.sigmoids(b.floats, gate)
	for i, s := range b.floats {
		g, u, d := gate[i], up[i], y[i]
		slope := geluSlope * float32(1+float32(3*geluCubic*float32(g*g)))
		gated := float32(g * s)
		derivative := s + float32(gated*float32(float32(1-s)*slope))
		gate[i] = float32(d*u) * derivative
		up[i] = d * gated
		y[i] = gated * u
	}
}
