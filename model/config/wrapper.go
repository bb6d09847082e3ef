package config

import (
	"encoding/json"
	"fmt"
	"maps"
)

// gemma3Text is what transformers takes for the text model of a Gemma 3 whose text_config does not say.
var gemma3Text = map[string]any{
	"vocab_size": 262208, "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26, "num_attention_heads": 8,
	"num_key_value_heads": 4, "head_dim": 256, "max_position_embeddings": 131072, "sliding_window": 4096,
}

// Text returns the config.json of the text model inside one of a model that reads images too, and whether data is such a one. Any other
// config.json comes back as it is.
func Text(data []byte) (text []byte, wrapped bool, err error) {
	var f struct {
		ModelType string         `json:"model_type"`
		Text      map[string]any `json:"text_config"`
	}
	if err := json.Unmarshal(data, &f); err != nil || f.ModelType != "gemma3" {
		return data, false, nil // whoever reads it says what is wrong
	}
	if t := f.Text["model_type"]; t != nil && t != "gemma3_text" {
		return nil, true, fmt.Errorf("config.json: text_config has model_type %v; only gemma3_text is supported inside gemma3", t)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, true, fmt.Errorf("parse config.json: %w", err)
	}
	c := maps.Clone(gemma3Text)
	for _, key := range []string{"eos_token_id", "bos_token_id", "pad_token_id", "quantization_config", "compression_config", "quantization", "torch_dtype", "dtype"} {
		if v, ok := all[key]; ok {
			c[key] = v
		}
	}
	maps.Copy(c, f.Text)
	c["model_type"], c["architectures"] = "gemma3_text", []string{families["gemma3_text"].class}
	// Whether the head is the embedding's is the wrapper's to say.
	if c["tie_word_embeddings"] = true; all["tie_word_embeddings"] != nil {
		c["tie_word_embeddings"] = all["tie_word_embeddings"]
	}
	text, err = json.MarshalIndent(c, "", "  ")
	return text, true, err
}
