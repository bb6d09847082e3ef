package native

// finishLogits turns what the head's product gave, rows of any width, into logits: divided and capped as the family does. It is
// applied once to every logit, before masks and temperatures.
func (c *computation) finishLogits(z []float32) {
	if d := c.shape.LogitDivisor(); d != 1 {
		c.k.Scale(z, float32(1/d))
	}
	if limit := float32(c.shape.Caps.Logits); limit > 0 {
		c.softcap(z, limit)
	}
}

// bendsLogits reports whether the gradient of a logit is not that of the head's product.
func (c *computation) bendsLogits() bool {
	return c.shape.LogitDivisor() != 1 || c.shape.Caps.Logits > 0
}

// logitSlopes computes the derivative of each logit by the head's product, given logits that are divided by a temperature; 0 for those
// that are masked.
func (c *computation) logitSlopes(slopes, z []float32, temperature float64) {
	flat, limit := float32(1/c.shape.LogitDivisor()), c.shape.Caps.Logits
	inverse := float32(0)
	if limit > 0 {
		inverse = float32(temperature / limit)
	}
	for i, v := range z {
		if v == negativeInfinity {
			slopes[i] = 0
			continue
		}
		t := float32(v * inverse)
		slopes[i] = flat * float32(float32(1-t)*float32(1+t))
	}
}
