package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// file is a config.json as the families write it, in the layouts of transformers 4 and 5.
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
	LocalTheta    *float64        `json:"rope_local_base_freq"`
	Partial       *float64        `json:"partial_rotary_factor"`
	Original      int             `json:"original_max_position_embeddings"`
	QueryScalar   *float64        `json:"query_pre_attn_scalar"`
	Tied          *bool           `json:"tie_word_embeddings"`
	AttentionBias bool            `json:"attention_bias"`
	Window        *int            `json:"sliding_window"`
	UseWindow     bool            `json:"use_sliding_window"`
	WindowFrom    *int            `json:"max_window_layers"`
	LayerTypes    []string        `json:"layer_types"`
	WindowPattern *int            `json:"sliding_window_pattern"`
	RopeLayers    []int           `json:"no_rope_layers"`
	RopeInterval  *int            `json:"no_rope_layer_interval"`
	Activation    string          `json:"hidden_act"`
	GELU          string          `json:"hidden_activation"`
	EOS           json.RawMessage `json:"eos_token_id"`
	scaleFile
	fields fields // all of it
}

// neutral names keys that would change numbers in a way that is not known here, each with the one value (beside null)
// under which it changes nothing.
var neutral = map[string]any{
	"attention_multiplier": 1.0, "attn_logit_softcapping": false, "clip_qkv": false, "embedding_multiplier": 1.0,
	"final_logit_softcapping": false, "logit_scale": 1.0, "logits_scaling": 1.0, "mlp_bias": false, "num_experts": 0.0,
	"num_local_experts": 0.0, "partial_rotary_factor": 1.0, "qk_layernorm": false,
	"query_pre_attn_scalar": false, "residual_multiplier": 1.0, "rope_interleaved": false, "use_qk_norm": false,
	"attention_chunk_size": false, "use_bidirectional_attention": false, "is_encoder_decoder": false, "lm_head_bias": false, "scale_emb": 1.0, "scale_depth": 1.0,
}

// Parse reads a config.json. A key that would change numbers in a way that is not known here is an error that
// names it.
func Parse(data []byte) (Config, error) {
	data, _, err := Text(data)
	if err != nil {
		return Config{}, err
	}
	all, err := readFields(data)
	if err != nil {
		return Config{}, err
	}
	if data, err = json.Marshal(all); err != nil {
		return Config{}, fmt.Errorf("parse config.json: %w", err)
	}
	f := file{fields: all}
	if err := json.Unmarshal(data, &f); err != nil {
		return Config{}, wrongType(err)
	}
	family, ok := families[f.ModelType]
	if !ok {
		return Config{}, fmt.Errorf("config.json: model_type %q is not supported; the engine knows %v", f.ModelType,
			slices.Sorted(maps.Keys(families)))
	}
	if err := CheckQuantization(data); err != nil {
		return Config{}, err
	}
	if err := checkNeutral(data, family); err != nil {
		return Config{}, err
	}
	if err := all.check(family); err != nil {
		return Config{}, err
	}
	c, err := f.config(family)
	if err != nil {
		return Config{}, fmt.Errorf("config.json: %w", err)
	}
	return c, c.check()
}

// wrongType names the key of a value that is of another type than it can be.
func wrongType(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Errorf("config.json: %s is a %s, expected a value of type %s", wrong.Field, wrong.Value, wrong.Type)
	}
	return fmt.Errorf("parse config.json: %w", err)
}

func checkNeutral(data []byte, family *Family) error {
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("parse config.json: %w", err)
	}
	known := map[string]bool{
		"partial_rotary_factor": family.partial, "query_pre_attn_scalar": family.queries > 0,
		"attn_logit_softcapping": family.attentionCap > 0, "final_logit_softcapping": family.caps,
		"embedding_multiplier": family.scaled, "attention_multiplier": family.scaled, "residual_multiplier": family.scaled, "logits_scaling": family.scaled,
	}
	for _, key := range slices.Sorted(maps.Keys(neutral)) {
		if known[key] {
			continue
		}
		if v := all[key]; v != nil && v != neutral[key] {
			return fmt.Errorf("config.json: %s = %v is not supported; only %v is", key, v, neutral[key])
		}
	}
	return nil
}

func (f *file) config(family *Family) (Config, error) {
	c := Config{
		ModelType: f.ModelType, Vocab: f.Vocab, Hidden: f.Hidden, Intermediate: f.Intermediate, Layers: f.Layers,
		Heads: f.Heads, KVHeads: cmp.Or(f.KVHeads, family.kvHeads, f.Heads), HeadDim: cmp.Or(f.HeadDim, family.headDim), Context: f.Context,
		NormEps: *cmp.Or(f.NormEps, &family.eps), Tied: *cmp.Or(f.Tied, &family.tied), QueryScalar: *cmp.Or(f.QueryScalar, &family.queries),
		QKVBias: family.qkvBias || f.AttentionBias, OutBias: f.AttentionBias,
	}
	if f.fields.null("num_key_value_heads") {
		c.KVHeads = c.Heads
	}
	if c.HeadDim == 0 && c.Heads > 0 {
		c.HeadDim = c.Hidden / c.Heads
	}
	if c.Heads > 0 && c.Hidden%c.Heads != 0 && family.divided() {
		return c, fmt.Errorf("hidden_size %d is no multiple of num_attention_heads %d", c.Hidden, c.Heads)
	}
	if err := f.checkActivation(family); err != nil {
		return c, err
	}
	if f.AttentionBias && !family.biasFlag {
		return c, fmt.Errorf("attention_bias = true is not supported for model_type %s", f.ModelType)
	}
	if err := cmp.Or(f.scales(family, &c), f.ropes(family, &c)); err != nil {
		return c, err
	}
	if c.Rope.Type == "dynamic" {
		c.Context = int(min(c.Rope.Factor*float64(c.Context), 1<<30))
	}
	if err := f.layers(family, &c); err != nil {
		return c, err
	}
	var err error
	c.EOS, err = tokenList(f.EOS)
	return c, err
}

// checkActivation reports an activation of the gate that is not the family's.
func (f *file) checkActivation(family *Family) error {
	key, got, want := "hidden_act", f.Activation, "silu"
	if family.GELU {
		key, got, want = "hidden_activation", f.GELU, "gelu_pytorch_tanh"
	}
	if got != want && f.fields.has(key) {
		return fmt.Errorf("%s = %.40s is not supported; only %s is", key, f.fields[key], want)
	}
	return nil
}

// tokenList reads a token id or a list of them.
func tokenList(raw json.RawMessage) ([]int, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	list := []int{0}
	if err := json.Unmarshal(raw, &list[0]); err != nil {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("eos_token_id: want a token id or a list of them: %w", err)
		}
	}
	for _, id := range list {
		if id < 0 {
			return nil, fmt.Errorf("eos_token_id: %d is no token", id)
		}
	}
	return list, nil
}
