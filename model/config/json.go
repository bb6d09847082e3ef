package config

import (
	"encoding/json"
	"fmt"
)

// JSON writes c as a config.json in Hugging Face layout; [Parse] reads the same c back.
func (c Config) JSON() ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	m := map[string]any{
		"architectures": []string{c.Family().class}, "model_type": c.ModelType, "vocab_size": c.Vocab,
		"hidden_size": c.Hidden, "intermediate_size": c.Intermediate, "num_hidden_layers": c.Layers,
		"num_attention_heads": c.Heads, "num_key_value_heads": c.KVHeads, "head_dim": c.HeadDim,
		"max_position_embeddings": c.Context, "rms_norm_eps": c.NormEps,
		"tie_word_embeddings": c.Tied, "torch_dtype": "float32",
	}
	c.familyJSON(m)
	if c.OutBias {
		m["attention_bias"] = true
	}
	if len(c.EOS) > 0 {
		m["eos_token_id"] = c.EOS
	}
	if err := c.layersJSON(m); err != nil {
		return nil, err
	}
	return json.MarshalIndent(m, "", "  ")
}

// familyJSON writes what only some families have, or have in other words.
func (c *Config) familyJSON(m map[string]any) {
	if c.Family().GELU {
		m["hidden_activation"] = "gelu_pytorch_tanh"
	} else {
		m["hidden_act"] = "silu"
	}
	if c.QueryScalar != 0 {
		m["query_pre_attn_scalar"] = c.QueryScalar
	}
	c.scalesJSON(m)
	if c.Rope.Type == "dynamic" {
		m["max_position_embeddings"] = c.Rope.Original
	}
	if c.Local != nil {
		m["rope_parameters"] = map[string]any{"full_attention": c.Rope.nested(), "sliding_attention": c.Local.nested()}
	} else {
		c.Rope.json(m)
	}
}

func (c *Config) layersJSON(m map[string]any) error {
	if c.Window == nil && c.Family().width > 0 && c.Family().pattern == 0 {
		m["sliding_window"] = nil
	}
	if c.Window != nil || c.Family().pattern > 0 {
		width, kinds := 0, make([]string, c.Layers)
		for i := range kinds {
			w := c.WindowOf(i)
			kinds[i] = "full_attention"
			if w == 0 {
				continue
			}
			if width != 0 && w != width {
				return fmt.Errorf("config: a config.json has room for one width of sliding windows, not for %d and %d", width, w)
			}
			width, kinds[i] = w, "sliding_attention"
		}
		if c.Family().pattern > 0 {
			m["layer_types"] = kinds
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
