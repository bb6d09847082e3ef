package native

// An arch says how a family of models differs from the plain decoder: RMSNorm before each block, rotary positions,
// grouped-query attention, SwiGLU. What a config.json can switch on (head_dim, tied embeddings, a rotary scaling, attention
// biases where the family has the switch) is in [Config], not here.
type arch struct {
	class    string // architectures[0] of its config.json
	theta    float64
	qkvBias  bool // q, k and v projections always have biases
	biasFlag bool // attention_bias switches biases of all four attention projections on
	qkNorm   bool // RMSNorm of each query and key head before the rotation
	window   bool // sliding_window counts without use_sliding_window
	nope     bool // no_rope_layers names layers without rotary positions
}

// archs maps a config.json's model_type to its family.
var archs = map[string]arch{
	"llama":   {class: "LlamaForCausalLM", theta: 10000, biasFlag: true},
	"mistral": {class: "MistralForCausalLM", theta: 10000, window: true},
	"qwen2":   {class: "Qwen2ForCausalLM", theta: 10000, qkvBias: true},
	"qwen3":   {class: "Qwen3ForCausalLM", theta: 10000, biasFlag: true, qkNorm: true},
	"smollm3": {class: "SmolLM3ForCausalLM", theta: 2000000, biasFlag: true, nope: true},
}

// projection is one of the seven weight matrices of a layer. The order is that of the forward pass.
type projection int

const (
	qProj projection = iota
	kProj
	vProj
	oProj
	gateProj
	upProj
	downProj
	projections // how many there are
)

// modules are the names of the projections inside a layer, as Hugging Face has them.
var modules = [projections]string{
	"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
	"mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
}

// attention reports whether the projection belongs to the attention block.
func (p projection) attention() bool { return p <= oProj }
