package native

import (
	"slices"
	"strings"
)

// An arch says how a family of models differs from the plain decoder: RMSNorm before each block, rotary positions,
// grouped-query attention, SwiGLU. What a config.json can switch on (head_dim, tied embeddings, a rotary scaling, attention
// biases where the family has the switch) is in [Config], not here.
type arch struct {
	class string // architectures[0] of its config.json

	// What holds where config.json does not say.
	theta   float64
	eps     float64
	tied    bool
	headDim int     // 0: hidden_size / num_attention_heads
	kvHeads int     // 0: num_attention_heads
	queries float64 // query_pre_attn_scalar; 0: the family has none

	scalings []string // rotary scalings that it knows
	partial  bool     // partial_rotary_factor turns only the first part of each head
	local    bool     // layers with a sliding window have rotary frequencies of their own
	nope     bool     // no_rope_layers names layers without rotary positions

	qkvBias  bool // q, k and v projections always have biases
	biasFlag bool // attention_bias switches biases of all four attention projections on
	qkNorm   bool // RMSNorm of each query and key head before the rotation
	window   bool // sliding_window counts without use_sliding_window
	pattern  int  // every pattern-th layer has no window, where neither layer_types nor sliding_window_pattern says; 0: none

	fused       bool // one matrix computes q, k and v, one gate and up
	onePlus     bool // norms multiply by 1 + weight
	postNorms   bool // what a block adds to the residual stream goes through a norm first
	gelu        bool // the gate is GELU in its tanh form, not SiLU
	scaledEmbed bool // embeddings are multiplied by sqrt(hidden)
}

var plainScalings = []string{"linear", "dynamic", "llama3"}

// archs maps a config.json's model_type to its family.
var archs = map[string]*arch{
	"llama":   {class: "LlamaForCausalLM", theta: 10000, eps: 1e-6, biasFlag: true, scalings: plainScalings},
	"mistral": {class: "MistralForCausalLM", theta: 10000, eps: 1e-6, window: true, scalings: plainScalings},
	"qwen2":   {class: "Qwen2ForCausalLM", theta: 10000, eps: 1e-6, qkvBias: true, scalings: plainScalings},
	"qwen3":   {class: "Qwen3ForCausalLM", theta: 10000, eps: 1e-6, biasFlag: true, qkNorm: true, scalings: plainScalings},
	"smollm3": {class: "SmolLM3ForCausalLM", theta: 2000000, eps: 1e-6, tied: true, biasFlag: true, nope: true, scalings: plainScalings},
	"phi3": {class: "Phi3ForCausalLM", theta: 10000, eps: 1e-5, window: true, fused: true, partial: true,
		scalings: []string{"longrope"}},
	"gemma3_text": {class: "Gemma3ForCausalLM", theta: 1e6, eps: 1e-6, tied: true, headDim: 256, kvHeads: 4, queries: 256, biasFlag: true,
		qkNorm: true, window: true, pattern: 6, local: true, scalings: []string{"linear"},
		onePlus: true, postNorms: true, gelu: true, scaledEmbed: true},
}

// projection is one of the weight matrices of a layer. Adapters draw their first values from streams that these numbers name.
type projection int

const (
	qProj projection = iota
	kProj
	vProj
	oProj
	gateProj
	upProj
	downProj
	qkvProj     // q, k and v in one
	gateUpProj  // gate and up in one
	projections // how many there are
)

// modules are the names of the projections inside a layer, as Hugging Face has them.
var modules = [projections]string{
	"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
	"mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", "self_attn.qkv_proj", "mlp.gate_up_proj",
}

// projections lists those that a layer of the family has, in the order of the forward pass.
func (a *arch) projections() []projection {
	if a.fused {
		return []projection{qkvProj, oProj, gateUpProj, downProj}
	}
	return []projection{qProj, kProj, vProj, oProj, gateProj, upProj, downProj}
}

// norm says how the family's norms use their weights.
func (a *arch) norm() normKind {
	if a.onePlus {
		return byOnePlus
	}
	return byWeight
}

// scales reports whether the family knows a rotary scaling.
func (a *arch) scales(kind string) bool { return slices.Contains(a.scalings, kind) }

// targets lists them as an adapter's targets name them.
func (a *arch) targets() []string {
	var names []string
	for _, p := range a.projections() {
		names = append(names, p.target())
	}
	return names
}

// target is the last part of the module's name.
func (p projection) target() string { return modules[p][strings.IndexByte(modules[p], '.')+1:] }
