package config_test

import (
	"testing"

	"parley/model/config"
)

// TestRoughly: a family that the engine does not know has a length and a size, under the names of its own; what says neither is refused as Parse does.
func TestRoughly(t *testing.T) {
	for text, want := range map[string]struct{ vocab, context, parameters int }{
		`{"model_type": "gpt2", "vocab_size": 100, "n_embd": 8, "n_layer": 2, "n_head": 2, "n_positions": 64}`:                                                                                          {100, 64, 2*100*8 + 8 + 2*(2*8+4*64+3*8*32)},
		`{"model_type": "new", "text_config": {"vocab_size": 100, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 32}}`:         {100, 32, 2*100*8 + 8 + 2*8 + 4*64 + 3*8*16},
		`{"model_type": "llama", "vocab_size": 100, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 32, "rms_norm_eps": 0.001}`: {100, 32, 2*100*8 + 8 + 2*8 + 4*64 + 3*8*16},
		`{"model_type": "new", "vocab_size": 100}`: {},
		`[]`: {},
	} {
		c, err := config.Roughly([]byte(text))
		if (err != nil) != (want.vocab == 0) {
			t.Errorf("%s: %v", text, err)
		}
		if err == nil && (c.Vocab != want.vocab || c.Context != want.context || c.Parameters() != want.parameters) {
			t.Errorf("%s: %d tokens, context %d, %d parameters, want %+v", text, c.Vocab, c.Context, c.Parameters(), want)
		}
	}
}
