package measure

import "testing"

// TestPassesOfRounding: shares that add up to the whole pass, on whichever side of 1 their sum is rounded to.
func TestPassesOfRounding(t *testing.T) {
	sum := 0.0
	for range 10 {
		sum += 0.1
	}
	if n := passes([]float64{sum, 1, 0.9}); n != 2 || sum == 1 {
		t.Errorf("%d of three answers pass, want 2", n)
	}
}
