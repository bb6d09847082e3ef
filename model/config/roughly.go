package config

import (
	"cmp"
	"encoding/json"
)

// rough is what a config.json says of the size of a model, under the names that families have for it.
type rough struct {
	Vocab        int `json:"vocab_size"`
	Hidden       int `json:"hidden_size"`
	Intermediate int `json:"intermediate_size"`
	Layers       int `json:"num_hidden_layers"`
	Heads        int `json:"num_attention_heads"`
	KVHeads      int `json:"num_key_value_heads"`
	HeadDim      int `json:"head_dim"`
	Context      int `json:"max_position_embeddings"`

	Embedding int    `json:"n_embd"` // GPT-2 and its relatives
	Blocks    int    `json:"n_layer"`
	HeadCount int    `json:"n_head"`
	Positions int    `json:"n_positions"`
	Inner     int    `json:"n_inner"`
	Text      *rough `json:"text_config"` // of models that read more than text
}

// Roughly is [Parse], but of a family or a setting that the engine does not know it takes the shape for a llama's: how long sequences may be, and about how
// large the model is, for engines elsewhere that know it. Nothing can be computed with such a shape. The error is that of Parse.
func Roughly(data []byte) (Config, error) {
	c, err := Parse(data)
	if err == nil {
		return c, nil
	}
	var r rough
	if json.Unmarshal(data, &r) != nil {
		return Config{}, err
	}
	if r.Text != nil {
		r = *r.Text
	}
	c = Config{ModelType: "llama", Vocab: r.Vocab, Hidden: cmp.Or(r.Hidden, r.Embedding), Layers: cmp.Or(r.Layers, r.Blocks), Heads: cmp.Or(r.Heads, r.HeadCount), Context: cmp.Or(r.Context, r.Positions), NormEps: 1}
	c.Intermediate, c.KVHeads = cmp.Or(r.Intermediate, r.Inner, 4*c.Hidden), cmp.Or(r.KVHeads, c.Heads)
	if c.HeadDim = r.HeadDim; c.HeadDim == 0 && c.Heads > 0 {
		c.HeadDim = c.Hidden / c.Heads
	}
	if min(c.Vocab, c.Hidden, c.Layers, c.Heads, c.HeadDim, c.Context) < 1 {
		return Config{}, err
	}
	return c, nil
}

// TypeOf is the model_type of a config.json; empty: it has none.
func TypeOf(data []byte) string {
	var f struct {
		ModelType string `json:"model_type"`
	}
	_ = json.Unmarshal(data, &f) // what is no JSON has none
	return f.ModelType
}
