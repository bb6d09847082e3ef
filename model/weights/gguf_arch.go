package weights

import (
	"maps"
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
