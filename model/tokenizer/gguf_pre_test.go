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
	if _, err := FromGGUF(meta("gemma4")); err == nil || !strings.Contains(err.Error(), "gemma4") {
		t.Errorf("a name that is not supported: %v", err)
	}
}

// TestGGUFSplitsByName: how the families cut that are in GGUF files by name only; bench/export/splits.py compares all names with llama.cpp.
func TestGGUFSplitsByName(t *testing.T) {
	for pre, want := range map[string]string{
		"falcon": "it|'|s| x", "bloom": "it's| x", "viking": "it's| x|1|2",
		"bailingmoe": "it|'s| x", "seed-coder": "a| !|\n", "ufakzeka": "it|'s", "qwen35": "हिन्दी|1|2", "exaone-moe": "it is so|1",
		"minicpm5": "x|123|4", "jais-2": "a|        | b", "spark2_5": "a|1|2|3|4| !", "tiny_aya": "x|1|234|567", "laguna": "ab|\n\n|cd", "youtu": "한국어|x|Y|1|2",
		"superbpe": "so it is, |½12|345|678|. And|123|456", "deepseek-llm": "ab|ա|1234|!~|。|\n|一", "afmoe": "x|1|234|567|漢字|ab| !", "kimi-k2": "漢字|かなAb|Cd|123|4",
		"chameleon": "x|    |y|1|2|!|?|IMGIMGABCZ",
	} {
		want = strings.ReplaceAll(want, " ", " ")
		text := strings.ReplaceAll(want, "|", "")
		m := map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": []string{"a"}, "tokenizer.ggml.merges": []string{}, "tokenizer.ggml.pre": pre}
		tok, err := FromGGUF(m)
		if err != nil {
			t.Fatal(err)
		}
		if words, err := tok.Words(text); err != nil || strings.Join(words, "|") != want {
			t.Errorf("%s: %q, %v, want %q", pre, words, err, strings.Split(want, "|"))
		}
	}
}
