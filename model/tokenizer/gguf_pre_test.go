package tokenizer

import (
	"slices"
	"strings"
	"testing"
)

// TestGGUFPre: a file that does not say how text is cut has llama.cpp's default and a note; smaug-bpe is llama-bpe; merges must be there.
func TestGGUFPre(t *testing.T) {
	meta := func(pre string) map[string]any {
		m := map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": []string{"a", "1", "!"}, "tokenizer.ggml.merges": []string{}}
		if pre != "" {
			m["tokenizer.ggml.pre"] = pre
		}
		return m
	}
	for pre, want := range map[string]string{"": "a|123|4|!?", "default": "a|123|4|!?", "gpt-2": "a|1234|!?", "smaug-bpe": "a|123|4|!?", "llama-bpe": "a|123|4|!?"} {
		tok, err := FromGGUF(meta(pre))
		if err != nil {
			t.Fatal(err)
		}
		if words, err := tok.Words("a1234!?"); err != nil || !slices.Equal(words, strings.Split(want, "|")) {
			t.Errorf("%q: %q, %v", pre, words, err)
		}
		if note := GGUFNote(meta(pre)); (note != "") != (pre == "") {
			t.Errorf("%q: note %q", pre, note)
		}
	}
	none := meta("gpt-2")
	delete(none, "tokenizer.ggml.merges")
	if _, err := FromGGUF(none); err == nil || !strings.Contains(err.Error(), "merges") {
		t.Errorf("without merges: %v", err)
	}
	if _, err := FromGGUF(meta("bloom")); err == nil || !strings.Contains(err.Error(), "bloom") {
		t.Errorf("a name that is not supported: %v", err)
	}
}
