package eval

import (
	"math"
	"testing"
)

// TestCrossPlay: by hand, θ of the pairs (1,2,3,4,5,6) is 3.5; without run 1 that of 4 and 6 is 5, without 2 of 2 and 5 3.5, without 3 of 1 and 3 2.
func TestCrossPlay(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-4 }
	got := NewCrossPlay([][]float64{{10, 1, 2}, {3, 8, 4}, {5, 6, 9}})
	// Pseudo-values 10.5 − 2·5 = 0.5, 3.5, 6.5: their deviation is 3, and t with two degrees of freedom 4.3027.
	half := 4.3027 * 3 / math.Sqrt(3)
	if !near(got.Cross.Mean, 3.5) || !near(got.Cross.CI95[0], 3.5-half) || !near(got.Cross.CI95[1], 3.5+half) {
		t.Errorf("cross-play %+v, want 3.5 ± %v", got.Cross, half)
	}
	half = 4.3027 / math.Sqrt(3)
	if !near(got.Self.Mean, 9) || !near(got.Self.CI95[1], 9+half) {
		t.Errorf("self-play %+v, want 9 ± %v", got.Self, half)
	}
	// Differences −9.5, −4.5, −2.5.
	half = 4.3027 * math.Sqrt(13) / math.Sqrt(3)
	if !near(got.Gap.Mean, -5.5) || !near(got.Gap.CI95[0], -5.5-half) {
		t.Errorf("difference %+v, want −5.5 ± %v", got.Gap, half)
	}
	if two := NewCrossPlay([][]float64{{1, 0}, {0.5, 1}}); two.Cross.CI95 != nil || two.Cross.Mean != 0.25 || two.Gap.Mean != -0.75 {
		t.Errorf("two runs: %+v", two)
	}
}
