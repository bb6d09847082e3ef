//go:build torch

package torch

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"parley/engine"
)

// TestOtherFamilies compares models of families that only transformers has with transformers itself, and trains adapters of them.
func TestOtherFamilies(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), python(t), filepath.Join("testdata", "others.py"), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	folders, err := os.ReadDir(dir)
	if err != nil || len(folders) < 3 {
		t.Fatalf("%d models, %v", len(folders), err)
	}
	for _, f := range folders {
		t.Run(f.Name(), func(t *testing.T) {
			folder := filepath.Join(dir, f.Name())
			text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				Tokens, Greedy [][]int
				Logprobs       [][]float32
			}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			e := openShared(t, options(t, folder))
			likeTransformers(t, e, want.Tokens, want.Greedy, want.Logprobs)
			learns(t, e, want.Tokens)
		})
	}
}

func likeTransformers(t *testing.T, e *Engine, tokens, greedy [][]int, logprobs [][]float32) {
	t.Helper()
	var data []engine.Datum
	var reqs []engine.SampleRequest
	for i, text := range tokens {
		data = append(data, engine.Datum{Tokens: text[:len(text)-i], ScoreFrom: 1})
		reqs = append(reqs, engine.SampleRequest{Prompt: text[:5], MaxTokens: 10 - i})
	}
	out, err := e.Forward(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tokens {
		for j, got := range out[i].Logprobs {
			if d := math.Abs(float64(got - logprobs[i][j])); !(d <= 1e-4) {
				t.Fatalf("text %d: log-probability %d is %v, transformers' %v", i, j, got, logprobs[i][j])
			}
		}
		if !slices.Equal(samples[i].Tokens, greedy[i][:10-i]) {
			t.Errorf("prompt %d goes on with %v, under transformers with %v", i, samples[i].Tokens, greedy[i])
		}
	}
}

// learns checks that adapters of two policies, beside each other in one batch, make their texts more probable, and are sampled as they are scored.
func learns(t *testing.T, e *Engine, tokens [][]int) {
	t.Helper()
	var data []engine.Datum
	for i, name := range []engine.Policy{"a", "b"} {
		if err := e.NewPolicy(t.Context(), name, engine.PolicySpec{Rank: 4, Alpha: 8, Seed: uint64(i)}); err != nil {
			t.Fatal(err)
		}
		data = append(data, engine.Datum{Policy: name, Tokens: tokens[i], ScoreFrom: 2})
	}
	total := func() (sum float64) {
		out, err := e.Forward(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range out {
			for _, x := range o.Logprobs {
				sum += float64(x)
			}
		}
		return sum
	}
	before := total()
	for range 6 {
		err := e.ForwardBackward(t.Context(), data, func(_ int, outputs []engine.Output) ([]engine.Gradient, error) {
			g := make([]engine.Gradient, len(outputs))
			for i, o := range outputs {
				g[i].Logprobs = slices.Repeat([]float32{-1}, len(o.Logprobs))
			}
			return g, nil
		})
		for _, d := range data {
			if err == nil {
				_, err = e.Step(t.Context(), d.Policy, engine.Adam{LR: 0.02, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if after := total(); !(after > before+1) {
		t.Errorf("six steps took the log-likelihood from %v to %v", before, after)
	}
	sampledIsScored(t, e, 1e-4, "a", "b", engine.Base)
}

// sampledIsScored draws texts of several policies at once, scores them, and returns the mean difference.
func sampledIsScored(t *testing.T, e *Engine, most float64, names ...engine.Policy) float64 {
	t.Helper()
	var reqs []engine.SampleRequest
	for i := range 12 {
		reqs = append(reqs, engine.SampleRequest{Policy: names[i%len(names)], Prompt: []int{1 + i%4, 5, 2}, MaxTokens: 4 + i, Seed: uint64(i), Sampling: engine.Sampling{Temperature: 1}})
	}
	samples, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	var data []engine.Datum
	for i, r := range reqs {
		data = append(data, engine.Datum{Policy: r.Policy, Tokens: append(slices.Clone(r.Prompt), samples[i].Tokens...), ScoreFrom: 3, Sampling: r.Sampling})
	}
	out, err := e.Forward(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0
	for i, o := range out {
		for j, x := range o.Logprobs {
			d := math.Abs(float64(x - samples[i].Logprobs[j]))
			if sum, n = sum+d, n+1; !(d <= most) {
				t.Fatalf("sample %d: token %d was drawn with %v, and is scored with %v", i, j, samples[i].Logprobs[j], x)
			}
		}
	}
	return sum / float64(n)
}
