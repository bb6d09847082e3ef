// Package config is the shape of a model: what its config.json says, in the terms of an engine.
//
// [Parse] reads a config.json of Hugging Face and fills in what its family leaves unsaid. A key that would change numbers in a way
// that is not known here is an error that names it, so that no model computes something else than its authors meant.
// [Config.JSON] writes one that Parse reads back as the same.
//
// Families of models differ little from the plain decoder: a [Family] says in what. To support a new one, add a line to families
// (family.go), and the code that computes what is new in it. The weight matrices of a layer are its projections: [Projection]
// names them, [Config.Widths] says how large they are.
//
//	config.go, parameters.go      the shape, and what follows from it
//	family.go, projection.go      how families differ, and their matrices
//	scales.go                     numbers that scores, logits and sums are multiplied or capped by
//	rope.go                       rotary positions: the angles of every scaling; the scaling that angles were made with
//	parse.go, layers.go, ropeparse.go   reading a config.json, in the layouts of transformers 4 and 5
//	wrapper.go                    the text model of a config.json that has more
//	roughly.go                    the size of a model of another family
//	json.go                       writing one
package config

import (
	"cmp"
	"fmt"
	"slices"
)

// A Config is the shape of a model: what a config.json says, with the defaults of its family filled in.
type Config struct {
	ModelType    string // a key of families
	Vocab        int
	Hidden       int
	Intermediate int // width of the gated block
	Layers       int
	Heads        int // of queries
	KVHeads      int // of keys and values; Heads is a multiple
	HeadDim      int
	Context      int // most tokens of a sequence
	NormEps      float64
	Rope         Rope
	Local        *Rope   // of layers with a window; nil: they have Rope too
	QueryScalar  float64 // attention scores are divided by its root; 0: HeadDim
	Caps         Caps
	Scales       Scales
	Tied         bool   // the head's weight is the embedding's
	QKVBias      bool   // q, k and v projections have a bias
	OutBias      bool   // so has the attention's output projection
	Window       []int  // [Layers] positions that a token sees, itself included; 0: all before it. nil: 0 everywhere
	NoRope       []bool // [Layers] layers without rotary positions. nil: none
	EOS          []int  // end tokens; informative, requests name their own
}

// QueryWidth is the width of all query heads together.
func (c *Config) QueryWidth() int { return c.Heads * c.HeadDim }

// KeyWidth is the width of all key heads together, and of all value heads.
func (c *Config) KeyWidth() int { return c.KVHeads * c.HeadDim }

// WindowOf returns how many positions a token of a layer sees, itself included; 0: all before it.
func (c *Config) WindowOf(layer int) int {
	if c.Window == nil {
		return 0
	}
	return c.Window[layer]
}

// UsesLocalRope reports whether a layer has the rotary frequencies of Local.
func (c *Config) UsesLocalRope(layer int) bool { return c.Local != nil && c.WindowOf(layer) > 0 }

// Rotates reports whether a layer has rotary positions.
func (c *Config) Rotates(layer int) bool { return c.NoRope == nil || !c.NoRope[layer] }

// Family returns the family of the model.
func (c *Config) Family() *Family { return families[c.ModelType] }

// Widths returns the outputs and inputs of a projection.
func (c *Config) Widths(p Projection) (out, in int) {
	switch p {
	case QProj:
		return c.QueryWidth(), c.Hidden
	case KProj, VProj:
		return c.KeyWidth(), c.Hidden
	case QKVProj:
		return c.QueryWidth() + 2*c.KeyWidth(), c.Hidden
	case GateUpProj:
		return 2 * c.Intermediate, c.Hidden
	case OProj:
		return c.Hidden, c.QueryWidth()
	case DownProj:
		return c.Hidden, c.Intermediate
	}
	return c.Intermediate, c.Hidden
}

// HasBias reports whether a projection adds a bias.
func (c *Config) HasBias(p Projection) bool {
	return c.OutBias && p == OProj || c.QKVBias && p < OProj // families with fused projections have none
}

// check reports a shape that no model can have.
func (c *Config) check() error {
	family, ok := families[c.ModelType]
	switch {
	case !ok:
		return fmt.Errorf("model_type %q is not supported", c.ModelType)
	case c.Vocab < 1 || c.Hidden < 1 || c.Intermediate < 1 || c.Layers < 1 || c.Heads < 1 || c.Context < 1:
		return fmt.Errorf("config.json: vocab_size %d, hidden_size %d, intermediate_size %d, num_hidden_layers %d, "+
			"num_attention_heads %d and max_position_embeddings %d must all be at least 1",
			c.Vocab, c.Hidden, c.Intermediate, c.Layers, c.Heads, c.Context)
	case c.KVHeads < 1 || c.Heads%c.KVHeads != 0:
		return fmt.Errorf("config.json: num_attention_heads %d is no multiple of num_key_value_heads %d", c.Heads, c.KVHeads)
	case c.HeadDim < 2 || c.HeadDim%2 != 0:
		return fmt.Errorf("config.json: head_dim %d (hidden_size over num_attention_heads, where it is missing) must be even, and at least 2", c.HeadDim)
	case !(c.NormEps > 0):
		return fmt.Errorf("config.json: rms_norm_eps %g must be above 0", c.NormEps)
	case c.Window != nil && len(c.Window) != c.Layers || c.NoRope != nil && len(c.NoRope) != c.Layers:
		return fmt.Errorf("config: Window and NoRope need one entry for each of the %d layers", c.Layers)
	case c.QKVBias && !family.qkvBias && !c.OutBias, !c.QKVBias && family.qkvBias, c.OutBias && !family.biasFlag:
		return fmt.Errorf("config: these biases do not fit model_type %s", c.ModelType)
	case (c.Local != nil) != family.local, (c.QueryScalar > 0) != (family.queries > 0):
		return fmt.Errorf("config: Local and QueryScalar are of families that have them; %s does not fit", c.ModelType)
	}
	if err := cmp.Or(c.Caps.check(family), c.Scales.check(family), c.Rope.check(family, c.HeadDim)); err != nil || c.Local == nil {
		return err
	}
	if c.Local.Type != "" && c.Local.Type != "linear" {
		return fmt.Errorf("config.json: rope type %q is not supported for layers with a window; default and linear are", c.Local.Type)
	}
	return c.Local.check(family, c.HeadDim)
}

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
