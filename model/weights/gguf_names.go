package weights

import (
	"fmt"
	"regexp"
)

// Tensor names outside and inside of a block.
var (
	ggufNames = map[string]string{
		"token_embd.weight":  "model.embed_tokens.weight",
		"output_norm.weight": "model.norm.weight",
		"output.weight":      "lm_head.weight",
		ropeFreqs:            ropeFreqs,
	}
	ggufBlock      = regexp.MustCompile(`^blk\.(0|[1-9][0-9]{0,5})\.([a-z_]+)\.(weight|bias)$`)
	ggufBlockNames = map[string]string{
		"attn_norm":   "input_layernorm",
		"attn_q":      "self_attn.q_proj",
		"attn_k":      "self_attn.k_proj",
		"attn_v":      "self_attn.v_proj",
		"attn_output": "self_attn.o_proj",
		"attn_q_norm": "self_attn.q_norm",
		"attn_k_norm": "self_attn.k_norm",
		"ffn_norm":    "post_attention_layernorm",
		"ffn_gate":    "mlp.gate_proj",
		"ffn_up":      "mlp.up_proj",
		"ffn_down":    "mlp.down_proj",
	}
)

// translate gives the Hugging Face name of a tensor and, where its rows are permuted, the number of heads.
func (m *ggufModel) translate(info ggufInfo) (name string, heads int, err error) {
	if name, ok := ggufNames[info.name]; ok {
		return name, 0, nil
	}
	parts := ggufBlock.FindStringSubmatch(info.name)
	if parts == nil || m.blockName(parts[2]) == "" {
		return "", 0, fmt.Errorf("is not known in architecture %s", m.arch)
	}
	name = fmt.Sprintf("model.layers.%s.%s.%s", parts[1], m.blockName(parts[2]), parts[3])
	if !m.permuted {
		return name, 0, nil
	}
	switch parts[2] {
	case "attn_q":
		heads = m.heads
	case "attn_k":
		heads = m.kvHeads
	}
	if heads > 0 && info.shape[0] != heads*m.headDim || heads > 0 && m.headDim%2 != 0 {
		return "", 0, fmt.Errorf("%d rows are not %d heads of %d", info.shape[0], heads, m.headDim)
	}
	return name, heads, nil
}

// blockName is the Hugging Face name of a tensor in a block; empty: it is not known.
func (m *ggufModel) blockName(name string) string {
	if own, ok := m.names[name]; ok {
		return own
	}
	return ggufBlockNames[name]
}
