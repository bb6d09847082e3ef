package config

import "slices"

// Parameters counts the weights of a model of this shape, without biases and the norms inside blocks that only some families have.
func (c *Config) Parameters() int {
	n := c.Vocab*c.Hidden + c.Hidden
	if !c.Tied {
		n += c.Vocab * c.Hidden
	}
	layer := 2 * c.Hidden
	for _, p := range c.Family().Projections() {
		out, in := c.Widths(p)
		layer += out * in
	}
	return n + c.Layers*layer
}

// AdapterParameters counts those of a low-rank adapter on some projections: targets as [Projection.Target] names them, none: all.
func (c *Config) AdapterParameters(rank int, targets []string) int {
	n := 0
	for _, p := range c.Family().Projections() {
		if len(targets) > 0 && !slices.Contains(targets, p.Target()) {
			continue
		}
		out, in := c.Widths(p)
		n += rank * (out + in)
	}
	return c.Layers * n
}
