package native

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// A Config is the shape of a model: what a config.json says, with the defaults of its family filled in.
type Config struct {
	ModelType    string // llama, mistral, qwen2, qwen3 or smollm3
	Vocab        int
	Hidden       int
	Intermediate int // width of the SwiGLU block
	Layers       int
	Heads        int // of queries
	KVHeads      int // of keys and values; Heads is a multiple
	HeadDim      int
	Context      int // most tokens of a sequence
	NormEps      float64
	Rope         Rope
	Tied         bool   // the head's weight is the embedding's
	QKVBias      bool   // q, k and v projections have a bias
	OutBias      bool   // so has the attention's output projection
	Window       []int  // [Layers] positions that a token sees, itself included; 0: all before it. nil: 0 everywhere
	NoRope       []bool // [Layers] layers without rotary positions. nil: none
	EOS          []int  // end tokens; informative, requests name their own
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

func (c *Config) rotates(layer int) bool { return c.NoRope == nil || !c.NoRope[layer] }

func (c *Config) arch() arch { return archs[c.ModelType] }

// widths returns the outputs and inputs of a projection.
func (c *Config) widths(p projection) (out, in int) {
	switch p {
	case qProj:
		return c.queryWidth(), c.Hidden
	case kProj, vProj:
		return c.keyWidth(), c.Hidden
	case oProj:
		return c.Hidden, c.queryWidth()
	case downProj:
		return c.Hidden, c.Intermediate
	}
	return c.Intermediate, c.Hidden
}

func (c *Config) hasBias(p projection) bool {
	return c.OutBias && p == oProj || c.QKVBias && p < oProj
}

// file is a config.json as the families of archs write it, in the layouts of transformers 4 and 5.
type file struct {
	ModelType     string          `json:"model_type"`
	Vocab         int             `json:"vocab_size"`
	Hidden        int             `json:"hidden_size"`
	Intermediate  int             `json:"intermediate_size"`
	Layers        int             `json:"num_hidden_layers"`
	Heads         int             `json:"num_attention_heads"`
	KVHeads       int             `json:"num_key_value_heads"`
	HeadDim       int             `json:"head_dim"`
	Context       int             `json:"max_position_embeddings"`
	NormEps       *float64        `json:"rms_norm_eps"`
	Theta         *float64        `json:"rope_theta"`
	Scaling       *ropeFile       `json:"rope_scaling"`
	Parameters    *ropeFile       `json:"rope_parameters"`
	Tied          bool            `json:"tie_word_embeddings"`
	AttentionBias bool            `json:"attention_bias"`
	Window        *int            `json:"sliding_window"`
	UseWindow     bool            `json:"use_sliding_window"`
	WindowFrom    *int            `json:"max_window_layers"`
	LayerTypes    []string        `json:"layer_types"`
	RopeLayers    []int           `json:"no_rope_layers"`
	RopeInterval  *int            `json:"no_rope_layer_interval"`
	Activation    string          `json:"hidden_act"`
	EOS           json.RawMessage `json:"eos_token_id"`
}

// neutral names keys that would change numbers in a way the engine does not know, each with the one value (beside null)
// under which it changes nothing.
var neutral = map[string]any{
	"attention_multiplier": 1.0, "attn_logit_softcapping": false, "clip_qkv": false, "embedding_multiplier": 1.0,
	"final_logit_softcapping": false, "logit_scale": 1.0, "logits_scaling": 1.0, "mlp_bias": false, "num_experts": 0.0,
	"num_local_experts": 0.0, "partial_rotary_factor": 1.0, "qk_layernorm": false, "quantization_config": false,
	"query_pre_attn_scalar": false, "residual_multiplier": 1.0, "rope_interleaved": false, "use_qk_norm": false,
	"attention_chunk_size": false, "is_encoder_decoder": false, "scale_emb": 1.0, "scale_depth": 1.0,
}

// ParseConfig reads a config.json. A field that would change numbers in a way the engine does not know is an error that
// names it.
func ParseConfig(data []byte) (Config, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return Config{}, fmt.Errorf("parse config.json: %w", err)
	}
	a, ok := archs[f.ModelType]
	if !ok {
		return Config{}, fmt.Errorf("config.json: model_type %q is not supported; the engine knows %v", f.ModelType,
			slices.Sorted(maps.Keys(archs)))
	}
	if err := checkNeutral(data); err != nil {
		return Config{}, err
	}
	c, err := f.config(a)
	if err != nil {
		return Config{}, fmt.Errorf("config.json: %w", err)
	}
	return c, c.check()
}

func checkNeutral(data []byte) error {
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("parse config.json: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(neutral)) {
		if v := all[key]; v != nil && v != neutral[key] {
			return fmt.Errorf("config.json: %s = %v is not supported; only %v is", key, v, neutral[key])
		}
	}
	return nil
}

func (f *file) config(a arch) (Config, error) {
	c := Config{
		ModelType: f.ModelType, Vocab: f.Vocab, Hidden: f.Hidden, Intermediate: f.Intermediate, Layers: f.Layers,
		Heads: f.Heads, KVHeads: f.KVHeads, HeadDim: f.HeadDim, Context: f.Context, NormEps: 1e-6, Tied: f.Tied,
	}
	if f.Activation != "" && f.Activation != "silu" {
		return c, fmt.Errorf("hidden_act = %q is not supported; only silu is", f.Activation)
	}
	if f.AttentionBias && !a.biasFlag {
		return c, fmt.Errorf("attention_bias = true is not supported for model_type %s", f.ModelType)
	}
	c.QKVBias, c.OutBias = a.qkvBias || f.AttentionBias, f.AttentionBias
	if f.NormEps != nil {
		c.NormEps = *f.NormEps
	}
	if c.KVHeads == 0 {
		c.KVHeads = c.Heads
	}
	if c.HeadDim == 0 && c.Heads > 0 {
		c.HeadDim = c.Hidden / c.Heads
	}
	var err error
	if c.Rope, err = f.rope(a); err != nil {
		return c, err
	}
	if err := f.layers(a, &c); err != nil {
		return c, err
	}
	c.EOS, err = tokenList(f.EOS)
	return c, err
}

// tokenList reads a token id or a list of them.
func tokenList(raw json.RawMessage) ([]int, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var one int
	if json.Unmarshal(raw, &one) == nil {
		return []int{one}, nil
	}
	var list []int
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("eos_token_id: want a token id or a list of them: %w", err)
	}
	return list, nil
}

// layers fills in what differs between layers: sliding windows and layers without rotary positions.
func (f *file) layers(a arch, c *Config) error {
	if c.Layers <= 0 || c.Layers > 1<<12 {
		return fmt.Errorf("num_hidden_layers = %d is out of range", c.Layers)
	}
	if err := f.windows(a, c); err != nil {
		return err
	}
	if !a.nope {
		if f.RopeLayers != nil {
			return fmt.Errorf("no_rope_layers is not supported for model_type %s", f.ModelType)
		}
		return nil
	}
	interval := 4
	if f.RopeInterval != nil {
		interval = *f.RopeInterval
	}
	if f.RopeLayers != nil && len(f.RopeLayers) != c.Layers || f.RopeLayers == nil && interval < 1 {
		return fmt.Errorf("no_rope_layers needs %d entries, it has %d", c.Layers, len(f.RopeLayers))
	}
	c.NoRope = make([]bool, c.Layers)
	for i := range c.NoRope {
		if f.RopeLayers != nil {
			c.NoRope[i] = f.RopeLayers[i] == 0
		} else {
			c.NoRope[i] = (i+1)%interval == 0
		}
	}
	return nil
}

// windows reads sliding_window. With layer_types, those decide; without, mistral has it on every layer, and the others where
// use_sliding_window says so, from layer max_window_layers on.
func (f *file) windows(a arch, c *Config) error {
	if f.LayerTypes != nil && len(f.LayerTypes) != c.Layers {
		return fmt.Errorf("layer_types needs %d entries, it has %d", c.Layers, len(f.LayerTypes))
	}
	for i, kind := range f.LayerTypes {
		if kind != "full_attention" && kind != "sliding_attention" {
			return fmt.Errorf("layer_types[%d] = %q is not supported", i, kind)
		}
	}
	if f.Window == nil || !a.window && !f.UseWindow {
		if slices.Contains(f.LayerTypes, "sliding_attention") {
			return fmt.Errorf("layer_types asks for sliding_attention, sliding_window does not say how wide")
		}
		return nil
	}
	if *f.Window < 1 {
		return fmt.Errorf("sliding_window = %d is out of range", *f.Window)
	}
	from := 0
	if !a.window && f.WindowFrom != nil {
		from = *f.WindowFrom
	}
	c.Window = make([]int, c.Layers)
	for i := range c.Window {
		sliding := i >= from
		if f.LayerTypes != nil {
			sliding = f.LayerTypes[i] == "sliding_attention"
		}
		if sliding {
			c.Window[i] = *f.Window
		}
	}
	return nil
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
	case c.QKVBias && !a.qkvBias && !c.OutBias, c.QKVBias != true && a.qkvBias:
		return fmt.Errorf("config: these biases do not fit model_type %s", c.ModelType)
	}
	return c.Rope.check(c.HeadDim)
}
