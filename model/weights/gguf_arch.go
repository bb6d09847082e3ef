package weights

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A ggufArchitecture says how files of one architecture differ from plain ones: what config.json calls it, and what the
// converter of llama.cpp does to the names and values of its tensors.
type ggufArchitecture struct {
	modelType, class string
	permuted         bool              // rows of q and k are stored in the order of llama.cpp's own rotation
	names            map[string]string // tensors of a block with other names than ggufBlockNames has
	biased           bool              // q, k and v have biases without config.json's saying so
	plusOne          bool              // norms are stored with the 1 that the model adds to them
	partial          bool              // positions may turn the first part of each head only
	zeroWindow       bool              // a sliding window of 0 means: none
	capped           bool              // scores and logits may be capped
	noRopeEvery      int               // every so manieth layer has no rotary positions; 0: all have
	extra            func(m *ggufModel, config map[string]any) error
}

// ggufArchitectures are the ones whose tensors are known. What files do not say is a constant of llama.cpp: the layers without
// rotary positions of SmolLM3, and what gemmaConfig fills in.
var ggufArchitectures = map[string]ggufArchitecture{
	"llama":   {modelType: "llama", class: "LlamaForCausalLM", permuted: true, extra: mistralConfig},
	"qwen2":   {modelType: "qwen2", class: "Qwen2ForCausalLM", biased: true},
	"qwen3":   {modelType: "qwen3", class: "Qwen3ForCausalLM"},
	"smollm3": {modelType: "smollm3", class: "SmolLM3ForCausalLM", permuted: true, noRopeEvery: 4},
	"phi3": {
		modelType: "phi3", class: "Phi3ForCausalLM", partial: true, zeroWindow: true, extra: longropeConfig,
		names: map[string]string{"attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj"},
	},
	"gemma3": {
		modelType: "gemma3_text", class: "Gemma3ForCausalLM", plusOne: true, extra: gemmaConfig,
		names: map[string]string{
			"post_attention_norm": "post_attention_layernorm", "ffn_norm": "pre_feedforward_layernorm",
			"post_ffw_norm": "post_feedforward_layernorm",
		},
	},
	"gemma2": {
		modelType: "gemma2", class: "Gemma2ForCausalLM", plusOne: true, capped: true, extra: gemma2Config,
		names: map[string]string{
			"post_attention_norm": "post_attention_layernorm", "ffn_norm": "pre_feedforward_layernorm",
			"post_ffw_norm": "post_feedforward_layernorm",
		},
	},
	"olmo2": {
		modelType: "olmo2", class: "Olmo2ForCausalLM", extra: olmo2Config,
		names: map[string]string{"post_attention_norm": "post_attention_layernorm", "post_ffw_norm": "post_feedforward_layernorm"},
	},
	"granite": {modelType: "granite", class: "GraniteForCausalLM", permuted: true, extra: graniteConfig},
}

// ggufKnown lists the architectures for an error.
func ggufKnown() string { return strings.Join(slices.Sorted(maps.Keys(ggufArchitectures)), ", ") }

// mistralConfig: llama.cpp calls Mistral llama; a sliding window tells it.
func mistralConfig(_ *ggufModel, c map[string]any) error {
	if c["sliding_window"] != nil {
		c["model_type"], c["architectures"] = "mistral", []string{"MistralForCausalLM"}
	}
	return nil
}

// gemmaConfig fills in what files of Gemma 3 leave to llama.cpp: one layer in six has no window, the frequencies of layers
// with one, the gate's activation, and the scale of queries, which is another one in the model of 27 billion parameters alone.
func gemmaConfig(m *ggufModel, c map[string]any) error {
	const layersOf27B = 62
	c["query_pre_attn_scalar"] = m.headDim
	if m.layers == layersOf27B {
		c["query_pre_attn_scalar"] = m.hidden / m.heads
	}
	local, err := m.float("rope.freq_base_swa", 10000)
	c["sliding_window_pattern"], c["rope_local_base_freq"], c["hidden_activation"] = 6, local, "gelu_pytorch_tanh"
	delete(c, "hidden_act")
	return err
}

// gemma2Config fills in what files of Gemma 2 may leave to llama.cpp. The scale of queries is another one in the model of 27 billion
// parameters alone.
func gemma2Config(m *ggufModel, c map[string]any) error {
	const layersOf27B = 46
	c["query_pre_attn_scalar"] = m.headDim
	if m.layers == layersOf27B {
		c["query_pre_attn_scalar"] = m.hidden / m.heads
	}
	if c["sliding_window"] == nil {
		c["sliding_window"] = 4096
	}
	c["hidden_activation"] = "gelu_pytorch_tanh"
	delete(c, "hidden_act")
	return m.floats(c, map[string]ggufFloat{"attn_logit_softcapping": {"attn_logit_softcapping", 50}, "final_logit_softcapping": {"final_logit_softcapping", 30}})
}

// olmo2Config refuses OLMo 3, whose files have the same architecture and windows.
func olmo2Config(m *ggufModel, c map[string]any) error {
	if c["sliding_window"] != nil {
		return fmt.Errorf("%s.attention.sliding_window is %v: that is OLMo 3, which is not supported", m.arch, c["sliding_window"])
	}
	return nil
}

// graniteConfig reads Granite's multipliers.
func graniteConfig(m *ggufModel, c map[string]any) error {
	if v, ok := m.meta[m.arch+".rope.scaling.finetuned"]; ok && v != true {
		return fmt.Errorf("%s.rope.scaling.finetuned is %v: that is a Granite without rotary positions, which is not supported", m.arch, v)
	}
	return m.floats(c, map[string]ggufFloat{
		"embedding_multiplier": {"embedding_scale", 1}, "attention_multiplier": {"attention.scale", float32(1 / math.Sqrt(float64(m.headDim)))},
		"residual_multiplier": {"residual_scale", 1}, "logits_scaling": {"logit_scale", 1},
	})
}

// A ggufFloat is the key of a positive number, and what it is where it is missing.
type ggufFloat struct {
	key      string
	fallback float32
}

// floats puts numbers into config.json, by its keys.
func (m *ggufModel) floats(c map[string]any, fields map[string]ggufFloat) error {
	for name, f := range fields {
		v, err := m.float(f.key, f.fallback)
		if err != nil {
			return err
		}
		c[name] = v
	}
	return nil
}
