package base_test

import (
	"io/fs"
	"testing"

	"parley/base"
	"parley/engine"
	"parley/engine/native"
	"parley/tokenizer"
	"parley/weights"
)

// Size limits of the repository: the model must stay a small file in git.
func TestSize(t *testing.T) {
	const most = 4 << 20
	total := int64(0)
	err := fs.WalkDir(base.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		total += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > most || total < 100_000 {
		t.Errorf("the model has %d bytes, want 100 kB to 4 MB", total)
	}
}

func TestFilesOfTheLayout(t *testing.T) {
	for _, name := range []string{"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "README.md"} {
		if _, err := fs.Stat(base.FS(), name); err != nil {
			t.Error(err)
		}
	}
}

// open returns the model as recipes use it.
func open(t *testing.T) (*native.Engine, *tokenizer.Tokenizer) {
	t.Helper()
	src, err := weights.OpenFS(base.FS(), ".")
	if err != nil {
		t.Fatal(err)
	}
	e, err := native.Open(src, native.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	file, err := fs.ReadFile(base.FS(), "tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return e, tok
}

// The embedded model answers a question in its format and stops.
func TestAnswers(t *testing.T) {
	e, tok := open(t)
	end, ok := tok.ID("<|end|>")
	if !ok {
		t.Fatal("the tokenizer lacks <|end|>")
	}
	prompt := "<|user|>Question: Ana has 23 pens. She buys 14 and loses 5. How many pens are left?\nSolve step by step. Answer: \\boxed{XX}<|end|><|assistant|>"
	samples, err := e.Sample(t.Context(), []engine.SampleRequest{{Prompt: tok.Encode(prompt, false), MaxTokens: 64, Stop: []int{end}}})
	if err != nil {
		t.Fatal(err)
	}
	text := tok.Decode(samples[0].Tokens, false)
	if want := "23+14=37\n37-5=32\nAnswer: \\boxed{32}"; text != want || samples[0].Stop != engine.StopEOS {
		t.Errorf("answer %q (stop: %s), want %q", text, samples[0].Stop, want)
	}
}
