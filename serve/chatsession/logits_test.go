package chatsession

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/engine/enginetest"
)

// logprobs are those of logits [vocab] at a temperature.
func logprobs(logits []float32, temperature float64) []float64 {
	total := 0.0
	for _, z := range logits {
		total += math.Exp(float64(z) / temperature)
	}
	out := make([]float64, len(logits))
	for i, z := range logits {
		out[i] = float64(z)/temperature - math.Log(total)
	}
	return out
}

// TestFilters: what is left of a distribution is what the reference filters leave of it.
func TestFilters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const vocabulary = 12
		z := rapid.SliceOfN(rapid.Float32Range(-5, 5), vocabulary, vocabulary).Draw(t, "logits")
		tokens := rapid.SliceOfN(rapid.IntRange(0, vocabulary-1), 1, 6)
		prompt, drawn := tokens.Draw(t, "prompt"), tokens.Draw(t, "drawn")
		l := Logits{Repetition: rapid.Float32Range(0.5, 2).Draw(t, "repetition"), MinP: rapid.Float64Range(0, 0.9).Draw(t, "min_p")}
		temperature := rapid.Float64Range(0.3, 2).Draw(t, "temperature")
		wide := make([]float64, len(z))
		for i, v := range z {
			wide[i] = float64(v)
		}
		r := engine.SampleRequest{Prompt: prompt, Sampling: engine.Sampling{Temperature: temperature}}
		want := enginetest.FilteredLogprobs(wide, slices.Concat(prompt, drawn), enginetest.Filters{Sampling: r.Sampling, MinP: l.MinP, RepetitionPenalty: float64(l.Repetition)})
		if !l.Changes() {
			return
		}
		l.change(&r)(drawn, z)
		for i, got := range logprobs(z, temperature) {
			near := math.Abs(want[i]-slices.Max(want)-math.Log(l.MinP)) < 1e-4 // at the edge of the cut float32 may see it otherwise
			if !near && math.Abs(math.Exp(got)-math.Exp(want[i])) > 1e-4 {
				t.Fatalf("token %d has %v, want %v", i, got, want[i])
			}
		}
	})
}

// TestPenalties: biases, then penalties by how often a token was drawn; the most probable tokens are those of the logits that are left.
func TestPenalties(t *testing.T) {
	z := []float32{1, 2, 3, 4}
	l := Logits{Bias: map[int]float32{0: 2.5}, Frequency: 0.5, Presence: 0.25, Repetition: 2}
	r := engine.SampleRequest{Prompt: []int{1}, Sampling: engine.Sampling{Temperature: 1}}
	drawn := []int{3, 0, 3}
	base := make([]float32, len(z))
	for i, lp := range logprobs(z, 1) {
		base[i] = float32(lp)
	}
	l.change(&r)(drawn, z)
	if want := []float32{3.5/2 - 0.75, 1, 3, 4.0/2 - 1.25}; !slices.Equal(z, want) {
		t.Errorf("logits %v, want %v", z, want)
	}
	l.Repetition = 0 // log-probabilities are below 0, where logits need not be
	z = []float32{3.5 - 0.75, 2, 3, 4 - 1.25}
	prefix := engine.Prefix{Tokens: slices.Concat(r.Prompt, drawn), From: 1, Sampling: r.Sampling}
	best := l.Best(prefix, 4, 2, engine.Distribution{Logprobs: base})
	want := logprobs(z, 1)
	if !slices.Equal(best.Tokens, []int{2, 0}) || math.Abs(float64(best.Logprobs[0])-want[2]) > 1e-6 || math.Abs(float64(best.Logprobs[1])-want[0]) > 1e-6 {
		t.Errorf("the best are %+v, want tokens 2 and 0 with %v", best, want)
	}
}
