package loss

import (
	"math"
	"testing"

	"parley/engine"
)

func TestPolicyStats(t *testing.T) {
	old := []float32{-1, -2, -.5}
	now := []float32{-1 + float32(math.Ln2), -2, -.5 - float32(math.Ln2)} // ratios 2, 1, ½
	b, err := NewPolicyBatch(ppoWithin(around1(.2)), []TokenSequence[float32]{{Old: old[:2], Advantages: []float64{1, 1}}, {Old: old[2:], Advantages: []float64{1}}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Gradient(0, []engine.Output{{Logprobs: now[:2]}, {Logprobs: now[2:]}}); err != nil {
		t.Fatal(err)
	}
	s := b.Stats()
	for name, c := range map[string][2]float64{
		"loss": {s.Loss, (-(1.2+1)/2 - .5) / 2}, "tokens": {float64(s.Tokens), 3}, "clip fraction": {s.ClipFraction, 1. / 3},
		"ratio mean": {s.RatioMean, 3.5 / 3}, "ratio min": {s.RatioMin, .5}, "ratio max": {s.RatioMax, 2},
		"kl": {s.KL, .5 / 3}, "surprise": {s.Surprise, 3.5 / 3}, "drift": {s.Drift, 0},
	} {
		if math.Abs(c[0]-c[1]) > 1e-6 {
			t.Errorf("%s is %v, want %v", name, c[0], c[1])
		}
	}
	if empty := new(PolicyBatch).Stats(); empty != (PolicyStats{}) {
		t.Errorf("statistics of nothing: %+v", empty)
	}
}

func TestExplainedVariance(t *testing.T) {
	returns := []float64{1, 2, 3, 6}
	for _, c := range []struct {
		name   string
		values []float32
		want   float64
	}{
		{"perfect", []float32{1, 2, 3, 6, 0}, 1}, {"constant", []float32{3, 3, 3, 3, 0}, 0}, {"shifted", []float32{5, 6, 7, 10, 0}, 1},
	} {
		b, err := NewValueBatch(ValueObjective{Weight: 1}, []ValueAnswer{{Old: make([]float32, 4), Returns: returns}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Gradient(0, []engine.Output{{Values: c.values}}); err != nil {
			t.Fatal(err)
		}
		if got := b.Stats(); math.Abs(got.Explained-c.want) > 1e-9 || got.ReturnMean != 3 {
			t.Errorf("%s critic: %+v, want %v explained", c.name, got, c.want)
		}
	}
}
