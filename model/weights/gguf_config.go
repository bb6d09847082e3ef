package weights

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// config is the model's config.json.
func (m *ggufModel) config() ([]byte, error) {
	_, untied := m.shapes["output.weight"]
	c := map[string]any{
		"architectures": []string{m.class}, "model_type": m.modelType,
		"vocab_size": m.vocab, "hidden_size": m.hidden, "intermediate_size": m.ffn, "num_hidden_layers": m.layers,
		"num_attention_heads": m.heads, "num_key_value_heads": m.kvHeads, "head_dim": m.headDim,
		"max_position_embeddings": m.context, "rms_norm_eps": m.eps, "rope_theta": m.theta, "hidden_act": "silu",
		"tie_word_embeddings": !untied, "torch_dtype": "float32",
	}
	if _, ok := m.shapes["blk.0.attn_q.bias"]; ok && !m.biased {
		c["attention_bias"] = true
	}
	if freqs, ok := m.shapes[ropeFreqs]; ok {
		if len(freqs) != 1 || freqs[0] != m.headDim/2 {
			return nil, fmt.Errorf("tensor %q has shape %v, not [%d]", ropeFreqs, freqs, m.headDim/2)
		}
		c[ropeFreqsKey] = true
	}
	if err := m.ropeScaling(c); err != nil {
		return nil, err
	}
	if err := m.layerKinds(c); err != nil {
		return nil, err
	}
	if m.extra != nil {
		if err := m.extra(m, c); err != nil {
			return nil, err
		}
	}
	return json.MarshalIndent(m.withTokens(c), "", "  ")
}

// layerKinds says what some layers do differently: attention with a window, no rotary positions.
func (m *ggufModel) layerKinds(c map[string]any) error {
	const window = "attention.sliding_window"
	if n, ok := wholeNumber(m.meta[m.arch+"."+window]); !(ok && n == 0 && m.zeroWindow) {
		w, ok, err := m.integer(window)
		if err != nil {
			return err
		}
		if ok {
			c["sliding_window"] = w
		}
	}
	if m.noRopeEvery > 0 {
		c["no_rope_layer_interval"] = m.noRopeEvery
	}
	return nil
}

// ropeScaling translates the scaling of positions.
func (m *ggufModel) ropeScaling(c map[string]any) error {
	kind, _ := m.meta[m.arch+".rope.scaling.type"].(string)
	factor, err := m.float("rope.scaling.factor", 1)
	if err != nil {
		return err
	}
	switch {
	case kind == "" || kind == "none" || factor == 1:
		return nil
	case kind == "yarn":
		return m.yarn(c, factor)
	case kind != "linear":
		return fmt.Errorf("rope scaling %.80q is not supported in GGUF files; use the Hugging Face folder of the model", kind)
	}
	c["rope_scaling"] = map[string]any{"rope_type": "linear", "factor": factor}
	return nil
}

// yarn translates yarn's scaling. llama.cpp multiplies cosines and sines by 1 + 0.1·ln(factor), and by attn_factor if there is one.
func (m *ggufModel) yarn(c map[string]any, factor float32) error {
	for key, only := range map[string]float32{"yarn_log_multiplier": 0, "yarn_ext_factor": 1, "yarn_attn_factor": 1} {
		if v, ok := m.meta[m.arch+".rope.scaling."+key]; ok && v != only {
			return fmt.Errorf("%s.rope.scaling.%s is %v; only %v is supported", m.arch, key, v, only)
		}
	}
	original, ok, err := m.integer("rope.scaling.original_context_length")
	if err != nil {
		return err
	}
	if !ok {
		original = m.context
	}
	scaling := map[string]any{"rope_type": "yarn", "factor": factor, "original_max_position_embeddings": original}
	if err := m.floats(scaling, map[string]ggufFloat{
		"beta_fast": {"rope.scaling.yarn_beta_fast", 32}, "beta_slow": {"rope.scaling.yarn_beta_slow", 1}, "attention_factor": {"rope.scaling.attn_factor", 1},
	}); err != nil {
		return err
	}
	scaling["attention_factor"] = float64(scaling["attention_factor"].(float32)) * (1 + 0.1*math.Log(max(1, float64(factor))))
	c["rope_scaling"] = scaling
	return nil
}

// withTokens adds the ids of special tokens. A second end token ends a chat turn where eos_token_id ends the text.
func (m *ggufModel) withTokens(c map[string]any) map[string]any {
	for key, name := range map[string]string{"bos": "bos_token_id", "padding": "pad_token_id"} {
		if id, ok := wholeNumber(m.meta["tokenizer.ggml."+key+"_token_id"]); ok {
			c[name] = id
		}
	}
	var ends []uint64
	for _, key := range []string{"eos", "eot", "eom"} {
		if id, ok := wholeNumber(m.meta["tokenizer.ggml."+key+"_token_id"]); ok && !slices.Contains(ends, id) {
			ends = append(ends, id)
		}
	}
	switch len(ends) {
	case 0:
	case 1:
		c["eos_token_id"] = ends[0]
	default:
		c["eos_token_id"] = ends
	}
	return c
}
