package tokenizer

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestReadRefuses names what cannot be read, and where it stands.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"tokenizer_config.json", `[]`, "tokenizer_config.json"},
		{"tokenizer_config.json", `{"added_tokens_decoder":{"x":{}}}`, "added_tokens_decoder"},
		{"tokenizer_config.json", `{"extra_special_tokens":["<a>",7]}`, "tokenizer_config.json: extra_special_tokens"},
		{"tokenizer_config.json", `{"eos_token":{"content":7}}`, "tokenizer_config.json: eos_token"},
		{"special_tokens_map.json", `{"additional_special_tokens":"<a>"}`, "special_tokens_map.json: additional_special_tokens"},
		{"added_tokens.json", `{"<a>":3,"<b>":3}`, `"<a>" and "<b>" both have the id 3`},
	} {
		_, err := ReadDeclared(fstest.MapFS{c.file: {Data: []byte(c.text)}}, ".")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error %v, want one with %q", c.file, c.text, err, c.want)
		}
	}
}

// FuzzRead: whatever the files say, each token that is declared has a text, and no two lists of it differ.
func FuzzRead(f *testing.F) {
	f.Add(`{"eos_token":"<e>","image_token":{"content":"<i>"},"extra_special_tokens":{"x":"<x>"}}`, `{"pad_token":null,"additional_special_tokens":["<y>"]}`, `{"<q>":4}`)
	f.Add(`{"added_tokens_decoder":{"4":{"content":"<q>"}},"bos_token":"<q>"}`, `{}`, `{}`)
	f.Fuzz(func(t *testing.T, config, tokens, added string) {
		d, err := ReadDeclared(fstest.MapFS{
			"tokenizer_config.json": {Data: []byte(config)}, "special_tokens_map.json": {Data: []byte(tokens)}, "added_tokens.json": {Data: []byte(added)},
		}, ".")
		if err != nil {
			return
		}
		special := map[string]bool{}
		for _, token := range d.Tokens(nil, "") {
			special[token.Content] = special[token.Content] || token.Special
		}
		for name, text := range d.Texts() {
			if text == "" || !special[text] {
				t.Errorf("%s, %q, is no special token of %v", name, text, special)
			}
		}
	})
}
