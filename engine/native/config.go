package native

import "fmt"

// A Config is the shape of a model: what a config.json says, with the defaults of its family filled in.
type Config struct {
	ModelType    string // a key of archs: llama, mistral, qwen2, qwen3, smollm3, phi3 or gemma3_text
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
	Tied         bool    // the head's weight is the embedding's
	QKVBias      bool    // q, k and v projections have a bias
	OutBias      bool    // so has the attention's output projection
	Window       []int   // [Layers] positions that a token sees, itself included; 0: all before it. nil: 0 everywhere
	NoRope       []bool  // [Layers] layers without rotary positions. nil: none
	EOS          []int   // end tokens; informative, requests name their own
}

// queryWidth is the width of all query heads together, keyWidth that of all key (or value) heads.
func (c *Config) queryWidth() int { return c.Heads * c.HeadDim }
func (c *Config) keyWidth() int   { return c.KVHeads * c.HeadDim }

func (c *Config) window(layer int) int {
	if c.Window == nil {
		return 0
	}
	return c.Window[layer]
}

// local reports whether a layer has the rotary frequencies of Local.
func (c *Config) local(layer int) bool { return c.Local != nil && c.window(layer) > 0 }

func (c *Config) rotates(layer int) bool { return c.NoRope == nil || !c.NoRope[layer] }

func (c *Config) arch() *arch { return archs[c.ModelType] }

// widths returns the outputs and inputs of a projection.
func (c *Config) widths(p projection) (out, in int) {
	switch p {
	case qProj:
		return c.queryWidth(), c.Hidden
	case kProj, vProj:
		return c.keyWidth(), c.Hidden
	case qkvProj:
		return c.queryWidth() + 2*c.keyWidth(), c.Hidden
	case gateUpProj:
		return 2 * c.Intermediate, c.Hidden
	case oProj:
		return c.Hidden, c.queryWidth()
	case downProj:
		return c.Hidden, c.Intermediate
	}
	return c.Intermediate, c.Hidden
}

func (c *Config) hasBias(p projection) bool {
	return c.OutBias && p == oProj || c.QKVBias && p < oProj // families with fused projections have none
}

// check reports a shape that no model can have.
func (c *Config) check() error {
	a, ok := archs[c.ModelType]
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
		return fmt.Errorf("config.json: head_dim %d must be even, and at least 2", c.HeadDim)
	case !(c.NormEps > 0):
		return fmt.Errorf("config.json: rms_norm_eps %g must be above 0", c.NormEps)
	case c.Window != nil && len(c.Window) != c.Layers || c.NoRope != nil && len(c.NoRope) != c.Layers:
		return fmt.Errorf("config: Window and NoRope need one entry for each of the %d layers", c.Layers)
	case c.QKVBias && !a.qkvBias && !c.OutBias, c.QKVBias != true && a.qkvBias, c.OutBias && !a.biasFlag:
		return fmt.Errorf("config: these biases do not fit model_type %s", c.ModelType)
	case (c.Local != nil) != a.local, (c.QueryScalar > 0) != (a.queries > 0):
		return fmt.Errorf("config: Local and QueryScalar are of families that have them; %s does not fit", c.ModelType)
	}
	if err := c.Rope.check(a, c.HeadDim); err != nil || c.Local == nil {
		return err
	}
	return c.Local.check(a, c.HeadDim)
}
