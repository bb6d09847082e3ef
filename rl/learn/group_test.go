package learn

import (
	"math"
	"testing"
)

// TestDivergence: group.kl_form says how the penalty measures the distance from the base.
func TestDivergence(t *testing.T) {
	policy, reference := []float32{-1, -2}, []float32{-2, -2}
	for form, want := range map[string]float64{"sampled": 1, "k3": math.Exp(-1)} {
		if got := (Group{KLForm: form}).Divergence(policy, reference); len(got) != 2 || math.Abs(got[0]-want) > 1e-12 || got[1] != 0 {
			t.Errorf("%s: %v, want %v and 0", form, got, want)
		}
	}
}
