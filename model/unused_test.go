package model_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/model"
	"parley/model/modeltest"
)

// Rows of the embedding without a token are unused: behind the tokenizer's last one, and where it has a gap.
func TestUnused(t *testing.T) {
	dir := modeltest.Padded(t, 600, 590)
	for name, want := range map[string][][2]int{model.Shipped: nil, tinyBase: nil, dir: {{590, 591}, {600, 624}}} {
		checkUnused(t, name, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "generation_config.json"), []byte(`{"eos_token_id":[0,610]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	checkUnused(t, dir, [][2]int{{590, 591}, {600, 610}, {611, 624}}) // answers end with token 610, whatever its text
}

func checkUnused(t *testing.T, name string, want [][2]int) {
	t.Helper()
	for _, open := range []func(string) (*model.Model, error){model.Open, model.OpenIncomplete} {
		m, err := open(name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Unused(), want) {
			t.Errorf("%s: unused are %v, want %v", name, m.Unused(), want)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A GGUF file has a text for every row and marks those that only fill it up.
func TestUnusedInGGUF(t *testing.T) {
	meta := baseMeta().withTokenizer(t)
	tokens, types := meta["tokenizer.ggml.tokens"].([]string), meta["tokenizer.ggml.token_type"].([]int32)
	for id := 310; id < 320; id++ {
		tokens[id], types[id] = "[PAD]", 5
	}
	meta["tokenizer.ggml.merges"] = []string{}
	checkUnused(t, meta.write(t, filepath.Join(t.TempDir(), "padded.gguf")), [][2]int{{310, 320}})
}
