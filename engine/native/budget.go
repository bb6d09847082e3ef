package native

import "math"

// DefaultPassMemory is what the activations of a pass may take where nothing is said, in bytes: enough for passes at which
// products are fast, a fraction of what the base of a larger model takes.
const DefaultPassMemory = 3 << 29

// Bounds on the tokens of a pass where the memory decides. More than mostTokens is no faster; with fewer than leastTokens
// activations are rather computed again.
const (
	leastTokens = 256
	mostTokens  = 4096
)

// passMemory is the budget in bytes.
func (o *Options) passMemory() float64 {
	if o.PassMemory > 0 {
		return float64(o.PassMemory)
	}
	return DefaultPassMemory
}

// batchTokens is how many tokens a pass may have.
func (o *Options) batchTokens(c *Config) int {
	if o.BatchTokens > 0 {
		return o.BatchTokens
	}
	rows := (o.passMemory()/floatBytes - fixedFloats) / (c.passFloats(1) - fixedFloats)
	return int(min(mostTokens, max(leastTokens, rows)))
}

// fixedFloats is what a pass takes whatever its rows: blocks of the head and of attention.
const fixedFloats = 2*headFloats + stripFloats

// layerFloats is how many values a layer keeps for a row.
func (c *Config) layerFloats() int {
	n := 2*c.Hidden + 2*c.queryWidth() + 2*c.keyWidth() + 2*c.Intermediate
	if a := c.arch(); a.qkNorm || a.postNorms {
		n += c.queryWidth() + c.keyWidth() + 2*c.Hidden
	}
	return n
}

// passFloats estimates the values that a pass of so many rows holds forward and backward, with all activations kept: those of
// all layers, the residual stream and its gradient, what the way back through one layer needs, and logits.
func (c *Config) passFloats(rows int) float64 {
	row := c.Layers*c.layerFloats() + 6*c.Hidden + c.backFloats()
	return fixedFloats + float64(rows)*float64(row) + min(float64(rows)*float64(c.Vocab), keptFloats)
}

// backFloats is what the way back through one layer needs for a row.
func (c *Config) backFloats() int {
	attention := 2*c.queryWidth() + 2*c.keyWidth() + 6*c.KVHeads*c.paddedDim()
	return 2*c.Hidden + 2*c.Intermediate + max(attention, c.Hidden)
}

// leastFloats estimates the values of a pass that keeps no layer's activations but what enters it.
func (c *Config) leastFloats(rows int) float64 {
	return c.passFloats(rows) - float64(rows)*float64((c.Layers-1)*c.layerFloats()-c.Layers*c.Hidden)
}

// recomputed is how many layers, from the first, have to compute activations again so that a pass of so many rows keeps to the
// budget, in bytes.
func (c *Config) recomputed(rows int, budget float64) int {
	excess := c.passFloats(rows) - budget/floatBytes
	if excess <= 0 {
		return 0
	}
	saved := float64(rows) * float64(c.layerFloats()-c.Hidden)
	excess += float64(rows) * float64(c.layerFloats()) // of the layer that is being computed again
	return min(c.Layers, int(math.Ceil(excess/saved)))
}
