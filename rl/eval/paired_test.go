package eval

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestCompareKnownValues: eight wins of eight have p = 2/2⁸ by the exact test; equal systems have p = 1 and no difference.
func TestCompareKnownValues(t *testing.T) {
	ones, zeros := []float64{1, 1, 1, 1, 1, 1, 1, 1}, make([]float64, 8)
	if d := compare(ones, zeros, 5); d.Mean != 1 || math.Abs(d.P-2./256) > 0.003 || d.Interval != (Interval{1, 1}) {
		t.Errorf("eight wins of eight: %+v", d)
	}
	if d := compare(ones, ones, 5); d.Mean != 0 || d.P != 1 || d.Interval != (Interval{}) {
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
	d := compare(first, second, 1)
	if math.Abs(d.Mean-0.05) > 1e-12 || d.P > 0.001 || d.Interval.Low < 0.035 || d.Interval.High > 0.065 {
		t.Errorf("%+v", d)
	}
}

// TestCompareIsFair: exchanging the systems mirrors the difference and changes nothing else.
func TestCompareIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.Float64Range(0, 1), 20, 20)
		a, b := scores.Draw(t, "a"), scores.Draw(t, "b")
		ab, ba := compare(a, b, 9), compare(b, a, 9)
		if ab.P != ba.P || math.Abs(ab.Mean+ba.Mean) > 1e-12 || math.Abs(ab.Interval.Low+ba.Interval.High) > 1e-2 {
			t.Fatalf("%+v and %+v", ab, ba)
		}
		if ab.P <= 0 || ab.P > 1 || ab.Interval.Low > ab.Interval.High {
			t.Fatalf("%+v", ab)
		}
	})
}

// TestMeasuresAreNotMixed: numbers of two measures are not subtracted, whatever they are; of one measure they are.
func TestMeasuresAreNotMixed(t *testing.T) {
	all := []Measure{{}, Accuracy(), Success(), Earned("reward", 0, 1), Earned("return", 0, 1), Earned("return", -1, 1), Earned("reward", -1, 1), Earned("reward", 0, 3)}
	for i, a := range all {
		for j, b := range all {
			_, one := Compare(Scores{a, []float64{1, 0}}, Scores{b, []float64{0, 0}}, 1)
			_, several := ComparePooled(Pooled{a, [][]float64{{1, 0}, {1, 1}}}, Pooled{b, [][]float64{{0, 0}}}, 1)
			for _, err := range []error{one, several} {
				if refused := new(MeasuresError); (i == j) != (err == nil) || err != nil && !errors.As(err, &refused) {
					t.Errorf("%v less %v: %v", a, b, err)
				}
			}
			if i != j && a.String() == b.String() {
				t.Errorf("two measures are called %s", a)
			}
		}
	}
}

// TestShareOfTheRange: a score is the share that what was earned is of its range, and back. From 0 to 1 it is the number itself.
func TestShareOfTheRange(t *testing.T) {
	for _, c := range []struct {
		measure       Measure
		earned, score float64
		name, words   string
	}{
		{Earned("return", -1, 1), 0, 0.5, "share of the range", "share of the range (return from -1 to 1)"},
		{Earned("reward", 0, 3), 3, 1, "share of the range", "share of the range (reward from 0 to 3)"},
		{Earned("reward", 0, 1), 0.25, 0.25, "reward", "reward"},
	} {
		raw, scaled := c.measure.Raw(c.score)
		if got := c.measure.Score(c.earned); got != c.score || raw != c.earned && scaled || scaled != (c.name == Range) || c.measure.Name != c.name || c.measure.String() != c.words {
			t.Errorf("%v: score %v, raw %v", c.measure, got, raw)
		}
	}
}

func TestCompareNeedsTheSameProblems(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("systems on different problems were compared")
		}
	}()
	compare([]float64{1}, []float64{1, 0}, 1)
}
