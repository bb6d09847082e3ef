package native

// softcap replaces x by cap·tanh(x/cap).
//
// tanh z is 1 - 2/(1+e^2z), and near 0, where that would lose digits, the beginning of its series, whose next term is below 2e-9 of the
// whole. Conversions keep products from being fused into sums, on any processor.
func (c *computation) softcap(x []float32, limit float32) {
	b := c.scratch.get(len(x))
	defer c.scratch.put(b)
	e, inverse := b.floats[:len(x)], 1/limit
	for i, v := range x {
		e[i] = 2 * float32(v*inverse)
	}
	c.k.Exp(e, e)
	for i, v := range x {
		z := float32(v * inverse)
		if z > -tanhSeries && z < tanhSeries {
			s := float32(z * z)
			t := float32(s*(-17./315)) + 2./15
			t = float32(s*t) - 1./3
			x[i] = limit * float32(z+float32(float32(z*s)*t))
			continue
		}
		x[i] = limit * float32(1-2/float32(1+e[i]))
	}
}

// tanhSeries is up to where the series of tanh is as good as the other form.
const tanhSeries = 0.125

// capSlopes computes what softcap's derivative is where it made x: 1 - (x/cap)².
func capSlopes(slopes, x []float32, limit float32) {
	inverse := 1 / limit
	for i, v := range x {
		t := float32(v * inverse)
		slopes[i] = float32(1-t) * float32(1+t)
	}
}

// multiply computes x *= y, element by element.
func multiply(x, y []float32) {
	for i, v := range y {
		x[i] *= v
	}
}
