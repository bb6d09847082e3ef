package loss

import (
	"math"
	"testing"
)

// TestKLTokens: a form says by which estimate the penalty on returns measures the distance from the base.
func TestKLTokens(t *testing.T) {
	policy, reference := []float32{-1, -2}, []float32{-2, -2}
	for form, want := range map[string]float64{"sampled": 1, "k3": math.Exp(-1)} {
		if got := KLTokens(form, policy, reference); len(got) != 2 || math.Abs(got[0]-want) > 1e-12 || got[1] != 0 {
			t.Errorf("%s: %v, want %v and 0", form, got, want)
		}
	}
}
