package verifier

import (
	"math"
	"testing"
)

// TestCompare: a verifier that learns the label half way knows nothing before, and all after.
func TestCompare(t *testing.T) {
	m := Compare([][]float64{{.5, .5, .9, .9}, {.5, .5, .1, .1}, {.5, .5, .9, .9}, {.5, .5, .1, .1}}, []bool{true, false, true, false})
	if m.Accuracy != 1 || *m.AUC != 1 || math.Abs(m.CalibrationError-0.1) > 1e-12 || m.Solutions != 4 {
		t.Errorf("%+v", m)
	}
	for _, p := range m.Prefix {
		want := [3]float64{0, 0.5, math.Ln2}
		if p.Part > 0.6 {
			want = [3]float64{1, 1, -math.Log(0.9)}
		}
		if got := [3]float64{p.Accuracy, *p.AUC, p.Loss}; math.Abs(got[2]-want[2]) > 1e-12 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("after %v: %v, want %v", p.Part, got, want)
		}
	}
	if m := Compare([][]float64{{0}}, []bool{true}); m.AUC != nil || math.IsInf(m.Prefix[0].Loss, 0) {
		t.Errorf("one solution: %+v", m)
	}
}

// TestCheckedScores: only numbers from 0 to 1 are scores.
func TestCheckedScores(t *testing.T) {
	for _, p := range []float64{math.NaN(), -0.1, 1.1, math.Inf(1)} {
		if s := Checked(p); s.Err == nil || s.P != 0 {
			t.Errorf("%v is a score: %+v", p, s)
		}
	}
	for _, p := range []float64{0, 0.5, 1} {
		if s := Checked(p); s.Err != nil || s.P != p {
			t.Errorf("%v is no score: %+v", p, s)
		}
	}
}
