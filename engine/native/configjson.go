package native

import (
	"encoding/json"
	"fmt"
)

// JSON writes c as a config.json in Hugging Face layout; [ParseConfig] reads the same c back.
func (c Config) JSON() ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	m := map[string]any{
		"architectures": []string{c.arch().class}, "model_type": c.ModelType, "vocab_size": c.Vocab,
		"hidden_size": c.Hidden, "intermediate_size": c.Intermediate, "num_hidden_layers": c.Layers,
		"num_attention_heads": c.Heads, "num_key_value_heads": c.KVHeads, "head_dim": c.HeadDim,
		"max_position_embeddings": c.Context, "rms_norm_eps": c.NormEps, "rope_theta": c.Rope.Theta,
		"tie_word_embeddings": c.Tied, "hidden_act": "silu", "torch_dtype": "float32",
	}
	if c.OutBias {
		m["attention_bias"] = true
	}
	if len(c.EOS) > 0 {
		m["eos_token_id"] = c.EOS
	}
	if s := c.Rope.scaling(); s != nil {
		m["rope_scaling"] = s
	}
	if err := c.layersJSON(m); err != nil {
		return nil, err
	}
	return json.MarshalIndent(m, "", "  ")
}

func (c *Config) layersJSON(m map[string]any) error {
	if c.Window != nil {
		width, kinds := 0, make([]string, c.Layers)
		for i, w := range c.Window {
			kinds[i] = "full_attention"
			if w == 0 {
				continue
			}
			if width != 0 && w != width {
				return fmt.Errorf("config: a config.json has room for one width of sliding windows, not for %d and %d", width, w)
			}
			width, kinds[i] = w, "sliding_attention"
		}
		if width > 0 {
			m["sliding_window"], m["use_sliding_window"], m["layer_types"] = width, true, kinds
		}
	}
	if c.NoRope != nil {
		rotates := make([]int, c.Layers)
		for i, no := range c.NoRope {
			if !no {
				rotates[i] = 1
			}
		}
		m["no_rope_layers"] = rotates
	}
	return nil
}

func (r *Rope) scaling() map[string]any {
	switch r.Type {
	case "linear":
		return map[string]any{"rope_type": "linear", "factor": r.Factor}
	case "llama3":
		return map[string]any{"rope_type": "llama3", "factor": r.Factor, "low_freq_factor": r.LowFreq,
			"high_freq_factor": r.HighFreq, "original_max_position_embeddings": r.Original}
	}
	return nil
}
