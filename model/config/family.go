package config

import "slices"

// A Family says how a family of models differs from the plain decoder: RMSNorm before each block, rotary positions,
// grouped-query attention, SwiGLU. What a config.json can switch on (head_dim, tied embeddings, a rotary scaling, attention
// biases where the family has the switch) is in [Config], not here.
type Family struct {
	class string // architectures[0] of its config.json

	// What holds where config.json does not say.
	theta   float64
	eps     float64
	tied    bool
	headDim int // 0: hidden_size / num_attention_heads
	kvHeads int // 0: num_attention_heads
	width   int // sliding_window; 0: none

	kvFixed, headFixed bool    // num_key_value_heads, and head_dim, may not be null
	headNamed          bool    // head_dim must be there
	queries            float64 // query_pre_attn_scalar; 0: the family has none

	attentionCap, logitCap float64 // attn_logit_softcapping and final_logit_softcapping; 0: none

	scalings []string // rotary scalings that it knows
	partial  bool     // partial_rotary_factor turns only the first part of each head
	// original_max_position_embeddings of longrope stands outside of the rope parameters, and is this where it is missing; 0: it
	// stands inside.
	originalOutside int
	local           bool // layers with a sliding window have rotary frequencies of their own
	noRope          bool // no_rope_layers names layers without rotary positions
	caps            bool // final_logit_softcapping counts, and attn_logit_softcapping where there is an attentionCap
	scaled          bool // embedding_multiplier, attention_multiplier, residual_multiplier and logits_scaling count

	qkvBias  bool // q, k and v projections always have biases
	biasFlag bool // attention_bias switches biases of all four attention projections on
	window   bool // sliding_window counts without use_sliding_window
	typed    bool // layer_types says which layers have the window; otherwise all have it, or none
	// windowFrom is max_window_layers: with use_sliding_window, layers from there on have the window; 0: the family has no such keys.
	windowFrom int
	pattern    int  // every pattern-th layer has no window, where layer_types does not say; 0: none
	patterns   bool // sliding_window_pattern says another pattern

	Fused           bool // one matrix computes q, k and v, one gate and up
	Norm            Norm // how norms use their weights
	QKNorm          bool // RMSNorm of queries and keys before the rotation, head by head
	WholeQKNorm     bool // that norm is one over all heads together
	PostNorms       bool // what a block adds to the residual stream goes through a norm first
	NoPreNorms      bool // blocks read the residual stream as it is
	GELU            bool // the gate is GELU in its tanh form, not SiLU
	ScaledEmbedding bool // embeddings are multiplied by sqrt(hidden)
}

// A Norm says how an RMSNorm uses its weight.
type Norm int

const (
	ByWeight        Norm = iota // it multiplies by the weight
	ByOnePlusWeight             // it multiplies by 1 + weight
)

var plainScalings = []string{"linear", "dynamic", "llama3", "yarn", "longrope"}

// families maps a config.json's model_type to its family.
var families = map[string]*Family{
	"llama":   {class: "LlamaForCausalLM", theta: 10000, eps: 1e-6, biasFlag: true, scalings: plainScalings},
	"mistral": {class: "MistralForCausalLM", theta: 10000, eps: 1e-6, kvHeads: 8, kvFixed: true, width: 4096, window: true, scalings: plainScalings},
	"ministral": {
		class: "MinistralForCausalLM", theta: 10000, eps: 1e-6, kvHeads: 8, kvFixed: true, headNamed: true, headFixed: true, width: 4096, window: true, typed: true,
		scalings: plainScalings,
	},
	"qwen2": {
		class: "Qwen2ForCausalLM", theta: 10000, eps: 1e-6, kvHeads: 32, headFixed: true, width: 4096, windowFrom: 28, typed: true, qkvBias: true,
		scalings: plainScalings,
	},
	"qwen3": {
		class: "Qwen3ForCausalLM", theta: 10000, eps: 1e-6, kvHeads: 32, headDim: 128, headFixed: true, width: 4096, windowFrom: 28, typed: true,
		biasFlag: true, QKNorm: true, scalings: plainScalings,
	},
	"smollm3": {
		class: "SmolLM3ForCausalLM", theta: 2000000, eps: 1e-6, tied: true, kvHeads: 4, headFixed: true, typed: true, biasFlag: true, noRope: true,
		scalings: plainScalings,
	},
	"phi3": {
		class: "Phi3ForCausalLM", theta: 10000, eps: 1e-5, headFixed: true, window: true, Fused: true, partial: true, originalOutside: 4096,
		scalings: []string{"longrope"},
	},
	"gemma3_text": {
		class: "Gemma3ForCausalLM", theta: 1e6, eps: 1e-6, tied: true, headDim: 256, headFixed: true, kvHeads: 4, kvFixed: true, queries: 256, biasFlag: true,
		QKNorm: true, width: 4096, window: true, typed: true, pattern: 6, patterns: true, local: true, caps: true, scalings: []string{"linear", "llama3", "yarn"},
		Norm: ByOnePlusWeight, PostNorms: true, GELU: true, ScaledEmbedding: true,
	},
	"gemma2": {
		class: "Gemma2ForCausalLM", theta: 10000, eps: 1e-6, tied: true, headDim: 256, headFixed: true, kvHeads: 4, kvFixed: true, queries: 256,
		biasFlag: true, width: 4096, window: true, typed: true, pattern: 2, caps: true, attentionCap: 50, logitCap: 30, scalings: plainScalings,
		Norm: ByOnePlusWeight, PostNorms: true, GELU: true, ScaledEmbedding: true,
	},
	"olmo2": {
		class: "Olmo2ForCausalLM", theta: 10000, eps: 1e-5, headFixed: true, biasFlag: true, scalings: plainScalings,
		QKNorm: true, WholeQKNorm: true, PostNorms: true, NoPreNorms: true,
	},
	"granite": {class: "GraniteForCausalLM", theta: 10000, eps: 1e-6, headFixed: true, biasFlag: true, scaled: true, scalings: plainScalings},
}

// scales reports whether the family knows a rotary scaling.
func (f *Family) scales(kind string) bool { return slices.Contains(f.scalings, kind) }

// Projections lists the matrices that a layer of the family has, in the order of the forward pass.
func (f *Family) Projections() []Projection {
	if f.Fused {
		return []Projection{QKVProj, OProj, GateUpProj, DownProj}
	}
	return []Projection{QProj, KProj, VProj, OProj, GateProj, UpProj, DownProj}
}

// Targets lists them as an adapter's targets name them.
func (f *Family) Targets() []string {
	var names []string
	for _, p := range f.Projections() {
		names = append(names, p.Target())
	}
	return names
}
