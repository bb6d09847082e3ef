package native

import (
	"slices"

	"parley/engine"
)

// A Footprint estimates the memory of an engine in bytes, part by part.
type Footprint struct {
	Base     float64 // the frozen base: packed panels, and the embedding once more as a table
	Policies float64 // parameters, panels, gradients and AdamW's moments of all policies
	Pass     float64 // activations of the largest pass, and the logits that it keeps
	Cache    float64 // keys and values of the samples in flight
}

// Total adds up the parts.
func (f Footprint) Total() float64 { return f.Base + f.Policies + f.Pass + f.Cache }

const floatBytes = 4

// Memory estimates what an engine over a model of shape c needs with some policies and so many samples in flight of at most
// length tokens each.
func (c *Config) Memory(o Options, specs []engine.PolicySpec, samples, length int) Footprint {
	rows := o.BatchTokens
	if rows <= 0 {
		rows = batchTokens(c)
	}
	f := Footprint{
		Base:  floatBytes * float64(c.parameters()+c.Vocab*c.Hidden),
		Pass:  floatBytes * (float64(rows)*float64(2*c.rowFloats()+12*c.Hidden+4*c.Intermediate) + keptFloats),
		Cache: floatBytes * min(float64(c.pageFloats(samples*(length+pageTokens))), 2*cacheFloats),
	}
	for _, s := range specs {
		trained := c.adapterParameters(s)
		if s.Full {
			trained = c.parameters()
		}
		f.Policies += 5 * floatBytes * float64(trained)
	}
	return f
}

// parameters counts those of the base.
func (c *Config) parameters() int {
	n := c.Vocab*c.Hidden + c.Hidden
	if !c.Tied {
		n += c.Vocab * c.Hidden
	}
	layer := 2 * c.Hidden
	for _, p := range c.arch().projections() {
		out, in := c.widths(p)
		layer += out * in
	}
	return n + c.Layers*layer
}

// adapterParameters counts those of a low-rank adapter.
func (c *Config) adapterParameters(s engine.PolicySpec) int {
	n := 0
	for _, p := range c.arch().projections() {
		if len(s.Targets) > 0 && !slices.Contains(s.Targets, p.target()) {
			continue
		}
		out, in := c.widths(p)
		n += s.Rank * (out + in)
	}
	n *= c.Layers
	if s.ValueHead {
		n += c.Hidden + 1
	}
	return n
}
