//go:build real

package native

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/engine"
	"parley/model/weights"
)

// A real model, SmolLM2-135M-Instruct in Q4_1, against the numbers of smollm2-135m.json: run with -tags real, PARLEY_GOLDENS and
// PARLEY_MODELS, the folder that holds SmolLM2-135M-Instruct.Q4_1.gguf.
func TestGoldensRealModel(t *testing.T) {
	var g struct {
		Prompts []struct {
			Name     string
			IDs      []int     `json:"ids"`
			Logprobs []float32 `json:"prompt_logprobs"`
			Greedy   struct {
				IDs []int `json:"ids"`
			}
		}
	}
	readJSON(t, "smollm2-135m.json", &g)
	src, err := weights.Open(filepath.Join(os.Getenv("PARLEY_MODELS"), "SmolLM2-135M-Instruct.Q4_1.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	e, err := Open(src, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var data []engine.Datum
	var reqs []engine.SampleRequest
	for _, p := range g.Prompts {
		data = append(data, engine.Datum{Tokens: p.IDs, ScoreFrom: 1})
		reqs = append(reqs, engine.SampleRequest{Prompt: p.IDs, MaxTokens: len(p.Greedy.IDs)})
	}
	outputs, err := e.Forward(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range g.Prompts {
		near(t, p.Name, outputs[i].Logprobs, p.Logprobs, 5e-4)
		if len(p.Greedy.IDs) == 0 || !slices.Equal(samples[i].Tokens, p.Greedy.IDs) {
			t.Errorf("%s: greedy tokens %v, want %v", p.Name, samples[i].Tokens, p.Greedy.IDs)
		}
	}
}
