package shipped_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"parley/engine"
	"parley/model/shipped"
)

// TestAdapters: each adapter is a small file, fits its base, and writes its steps as it was paid for.
func TestAdapters(t *testing.T) {
	e, tok := open(t)
	prompt, err := tok.Encode("<|user|>Question: Zoe sees 32 bees. 39 more fly in. 28 more fly in. How many bees are there now?\nExplain. Answer: \\boxed{XX}<|end|><|assistant|>", false)
	if err != nil {
		t.Fatal(err)
	}
	for name, first := range map[string]func(rune) bool{"parley-explains": unicode.IsUpper, "parley-plain": unicode.IsDigit} {
		dir := filepath.Join(t.TempDir(), name)
		if err := shipped.Folder(name, func(from string) error { return os.CopyFS(dir, os.DirFS(from)) }); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(dir, "adapter_model.safetensors")); err != nil || info.Size() > 100_000 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if err := e.Load(t.Context(), engine.Policy(name), dir); err != nil {
			t.Fatal(err)
		}
		end, _ := tok.ID("<|end|>")
		out, err := e.Sample(t.Context(), []engine.SampleRequest{{Policy: engine.Policy(name), Prompt: prompt, MaxTokens: 48, Stop: []int{end}}})
		if err != nil {
			t.Fatal(err)
		}
		text := tok.Decode(out[0].Tokens, false)
		step, _, _ := strings.Cut(text, "\n")
		if !first([]rune(text)[0]) || !strings.Contains(step, "32+39=71") || !strings.Contains(text, "Answer: \\boxed{") {
			t.Errorf("%s writes %q", name, text)
		}
	}
	if shipped.Ships("parley-base") {
		t.Error("a base is no adapter")
	}
}
