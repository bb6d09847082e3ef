package native

import (
	"math"
	"sort"

	"parley/engine"
	"parley/model/config"
)

// Bounds on the tokens of a pass where the memory decides. More than mostTokens is no faster; with fewer than leastTokens
// activations are rather computed again.
const (
	minPassTokens = 256
	maxPassTokens = 4096
)

// passMemory is the budget in bytes.
func (o *settings) passMemory() float64 {
	if o.ActivationMemory > 0 {
		return float64(o.ActivationMemory)
	}
	return engine.DefaultActivationMemory
}

// batchTokens is how many tokens a pass may have.
func (o *settings) batchTokens(c *shape) int {
	if o.BatchTokens > 0 {
		return o.BatchTokens
	}
	usual := c.sizing(usualRanks(c.Family()))
	beyond := func(i int) bool { return floatBytes*usual.passFloats(minPassTokens+1+i) > o.passMemory() }
	return minPassTokens + sort.Search(maxPassTokens-minPassTokens, beyond)
}

// A sizing says what passes take through a model with adapters of some ranks.
type sizing struct {
	*shape
	ranks
}

func (c *shape) sizing(r ranks) sizing { return sizing{c, r} }

// layerFloats is how many values a layer keeps for a row.
func (c sizing) layerFloats() int {
	n := c.ranks.floats() + 2*c.Hidden + 2*c.QueryWidth() + 2*c.KeyWidth() + 2*c.Intermediate
	if a := c.Family(); a.QKNorm || a.PostNorms {
		n += c.QueryWidth() + c.KeyWidth() + 2*c.Hidden
	}
	return n
}

// savedRowFloats is how many values a pass keeps for a row from its forward pass to its backward pass: those of all layers, embedding and
// hidden state, the hidden gradient, and the gradients of the hidden state and of the residual stream.
func (c sizing) savedRowFloats() int { return c.Layers*c.layerFloats() + 5*c.Hidden }

// passFloats estimates the values that a pass of so many rows over a frozen net holds at a time, with all activations kept: beside
// them a block of logits, or in the backward pass what one layer needs.
func (c sizing) passFloats(rows int) float64 {
	n := float64(rows)
	logits := min(n, columnRows) * float64(hiddenGradColumns+c.Hidden)
	group := min(blockGroupFloats, 2*float64(c.Heads)*n*(n+float64(c.paddedDim())))
	back := n*float64(c.backFloats()) + max(n*float64(c.keyFloats())+group, min(n, 3*rowTileRows/2)*float64(c.rowTileFloats()))
	return n*float64(c.savedRowFloats()) + max(logits, back)
}

// frozenFloats estimates the values of a pass of so many rows that keeps nothing: the activations of one layer, and what a tile of
// rows needs beside them.
func (c sizing) frozenFloats(rows int) float64 {
	return float64(rows*(c.layerFloats()+2*c.Hidden) + min(rows, 3*rowTileRows/2)*(c.Hidden+c.Intermediate+c.widest(c.Family())))
}

// savedLogits is how many logits a pass of so many rows over a trained net keeps for its backward pass.
func (c *shape) savedLogits(rows int) float64 {
	if n := float64(rows) * float64(c.Vocab); n <= maxSavedLogits {
		return n
	}
	return 0
}

// backFloats is what the backward pass through one layer needs for every row of a pass.
func (c *shape) backFloats() int { return 2*c.QueryWidth() + 2*c.KeyWidth() }

// keyFloats is what the backward pass through attention needs beside that for a row: its key's and value's gradients, and panels.
func (c *shape) keyFloats() int { return 6 * c.KVHeads * c.paddedDim() }

// rowTileFloats is what it needs for a row of a tile.
func (c sizing) rowTileFloats() int {
	n := 2*c.Hidden + c.Intermediate + c.widest(c.Family())
	if a := c.Family(); a.Fused {
		n += 2 * c.Intermediate
	} else if a.PostNorms {
		n += c.Hidden
	}
	return n
}

// minFloats estimates the values of a pass that keeps no layer's activations but what enters it.
func (c sizing) minFloats(rows int) float64 {
	return c.passFloats(rows) - float64(rows)*float64((c.Layers-1)*c.layerFloats()-c.Layers*c.Hidden)
}

// recomputed is how many layers, from the first, have to compute activations again so that a pass of so many rows keeps to the
// budget, in bytes.
func (c sizing) recomputed(rows int, budget float64) int {
	excess := c.passFloats(rows) - budget/floatBytes
	if excess <= 0 {
		return 0
	}
	saved := float64(rows) * float64(c.layerFloats()-c.Hidden)
	excess += float64(rows) * float64(c.layerFloats()) // of the layer that is being computed again
	return min(c.Layers, int(math.Ceil(excess/saved)))
}

// A Plan is an engine that is not open: the shape of its model, and its options. It says beforehand what the engine takes.
type Plan struct {
	shape   shape
	options settings
}

// NewPlan plans an engine over a model of shape c.
func NewPlan(c config.Config, o engine.Options) *Plan { return &Plan{shape{c}, settings{o}} }

// settings are the options of an engine, with what follows where they say nothing.
type settings struct{ engine.Options }
