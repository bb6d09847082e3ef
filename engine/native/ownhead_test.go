package native

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/model/modeltest"
	"parley/model/weights"
)

// TestOwnHead: a checkpoint whose config.json ties the head, and which has another one, answers as the same checkpoint does whose
// config.json does not, in every format.
func TestOwnHead(t *testing.T) {
	c := modeltest.Shapes()["untied"]
	dir := t.TempDir()
	if err := weights.Write(dir, Random(c, 3), ""); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "config.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	score := func(f engine.Format, tied string) []float32 {
		t.Helper()
		changed := strings.Replace(string(text), `"tie_word_embeddings": false`, `"tie_word_embeddings": `+tied, 1)
		if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := weights.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		e, err := Open(src, engine.Options{Format: f})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		out, err := e.Forward(t.Context(), []engine.Datum{{Tokens: []int{1, 5, 9, 2, 30}, ScoreFrom: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return out[0].Logprobs
	}
	for _, f := range append(slices.Clone(low), engine.F32) {
		if own, said := score(f, "false"), score(f, "true"); !slices.Equal(own, said) {
			t.Errorf("%s: log-probabilities %v, want %v", f, said, own)
		}
	}
}
