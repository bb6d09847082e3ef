package eval

import "testing"

// TestRounding: scores that differ by rounding are tied in ranks and intervals.
func TestRounding(t *testing.T) {
	a := 0.1
	a += 0.2
	if auc, ok := AUC([]Prediction{{a, true}, {0.3, false}}); !ok || auc != 0.5 {
		t.Errorf("area %v, want a tie", auc)
	}
	if got, want := OverProblems([]float64{a, 0.3, a, 0.3}, 1), Wilson(1.2, 4); got.Low < want.Low-1e-9 || got.High > want.High+1e-9 || got.High-got.Low < 0.1 {
		t.Errorf("interval %+v, want Wilson's %+v", got, want)
	}
}

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
