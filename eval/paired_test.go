package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestCompareKnownValues: eight wins of eight have p = 2/2⁸ by the exact test; equal systems have p = 1 and no difference.
func TestCompareKnownValues(t *testing.T) {
	ones, zeros := []float64{1, 1, 1, 1, 1, 1, 1, 1}, make([]float64, 8)
	if d := Compare(ones, zeros, 5); d.Mean != 1 || math.Abs(d.P-2./256) > 0.003 || d.Interval != (Interval{1, 1}) {
		t.Errorf("eight wins of eight: %+v", d)
	}
	if d := Compare(ones, ones, 5); d.Mean != 0 || d.P != 1 || d.Interval != (Interval{}) {
		t.Errorf("a system with itself: %+v", d)
	}
}

// TestComparePairs: what counts is the difference on each problem. Two systems with the same spread of scores differ clearly where
// one is better by a little on every problem.
func TestComparePairs(t *testing.T) {
	first, second := make([]float64, 60), make([]float64, 60)
	for i := range first {
		second[i] = float64(i%10) / 10
		first[i] = second[i] + 0.05*float64(i%3)
	}
	d := Compare(first, second, 1)
	if math.Abs(d.Mean-0.05) > 1e-12 || d.P > 0.001 || d.Interval.Low < 0.035 || d.Interval.High > 0.065 {
		t.Errorf("%+v", d)
	}
}

// TestCompareIsFair: exchanging the systems mirrors the difference and changes nothing else.
func TestCompareIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.Float64Range(0, 1), 20, 20)
		a, b := scores.Draw(t, "a"), scores.Draw(t, "b")
		ab, ba := Compare(a, b, 9), Compare(b, a, 9)
		if ab.P != ba.P || math.Abs(ab.Mean+ba.Mean) > 1e-12 || math.Abs(ab.Interval.Low+ba.Interval.High) > 1e-2 {
			t.Fatalf("%+v and %+v", ab, ba)
		}
		if ab.P <= 0 || ab.P > 1 || ab.Interval.Low > ab.Interval.High {
			t.Fatalf("%+v", ab)
		}
	})
}

func TestCompareNeedsTheSameProblems(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("systems on different problems were compared")
		}
	}()
	Compare([]float64{1}, []float64{1, 0}, 1)
}
