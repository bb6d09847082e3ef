package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Values of the score interval as in Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		successes float64
		n         int
		low, high float64
	}{
		{81, 263, .2553, .3662}, {15, 148, .0624, .1605}, {0, 20, 0, .1611}, {1, 29, .0061, .1718}, {29, 29, .8830, 1},
	} {
		got := Wilson(c.successes, c.n)
		if math.Abs(got.Low-c.low) > 5e-5 || math.Abs(got.High-c.high) > 5e-5 {
			t.Errorf("%v of %d: %+v, want [%v, %v]", c.successes, c.n, got, c.low, c.high)
		}
	}
	if got := Wilson(0, 0); got != (Interval{0, 1}) {
		t.Errorf("no trials: %+v", got)
	}
}

func TestIntervalsHoldTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.Float64Range(0, 1), 2, 40).Draw(t, "scores")
		m := Mean(scores)
		for name, i := range map[string]Interval{"over problems": OverProblems(scores, 3), "normal": normalInterval(scores), "bootstrap": Bootstrap(scores, 400, 7)} {
			if !(i.Low <= i.High) {
				t.Fatalf("%s: %+v is empty", name, i)
			}
			if name == "normal" && !(i.Low <= m+1e-12 && i.High >= m-1e-12) {
				t.Fatalf("%s: %+v does not hold the mean %v", name, i, m)
			}
		}
		a := OverProblems(scores, 3)
		if a.Low < 0 || a.High > 1 {
			t.Fatalf("%+v leaves [0, 1]", a)
		}
	})
}

func TestNormalAndBootstrap(t *testing.T) {
	scores := make([]float64, 200) // 0, ½ and 1 in turn: mean ½, n-1 variance about 1/6
	for i := range scores {
		scores[i] = float64(i%3) / 2
	}
	normal := normalInterval(scores)
	if half := (normal.High - normal.Low) / 2; math.Abs(half-1.96*math.Sqrt(1./6/200)) > 1e-3 {
		t.Errorf("normal interval ± %v", half)
	}
	boot := Bootstrap(scores, 4000, 1)
	if math.Abs(boot.Low-normal.Low) > 0.01 || math.Abs(boot.High-normal.High) > 0.01 {
		t.Errorf("bootstrap %+v, normal %+v", boot, normal)
	}
	if Bootstrap(scores, 4000, 1) != boot || Bootstrap(scores, 4000, 2) == boot {
		t.Error("the interval is not a function of the seed")
	}
}

// TestIntervalOverEqualScores: where every problem has the same score, a resample says nothing, and the interval is Wilson's.
func TestIntervalOverEqualScores(t *testing.T) {
	if got, want := OverProblems([]float64{1, 1, 1, 1}, 1), Wilson(4, 4); got != want || got.Low > 0.6 {
		t.Errorf("four of four: %+v, want %+v", got, want)
	}
	if got := OverProblems([]float64{1, 0, 1, 0.5}, 1); got != Bootstrap([]float64{1, 0, 1, 0.5}, resamples, 1) {
		t.Errorf("mixed scores: %+v", got)
	}
}

// normalInterval is the normal interval of the mean of scores, mean ± 1.96·sd/√n with the n-1 deviation. A single score has an
// interval without bounds.
func normalInterval(scores []float64) Interval {
	n := float64(len(scores))
	if n < 2 {
		return Interval{math.Inf(-1), math.Inf(1)}
	}
	m := Mean(scores)
	ss := 0.0
	for _, s := range scores {
		ss += (s - m) * (s - m)
	}
	half := z95 * math.Sqrt(ss/(n-1)/n)
	return Interval{m - half, m + half}
}
