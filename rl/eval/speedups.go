package eval

import (
	"math"

	"parley/internal/tie"
)

// A TimedRun is one program beside the one that it is to be faster than.
type TimedRun struct {
	Reference, Time float64 // seconds
	Correct         bool
}

// Speedup is how many times faster a program is; a wrong one has 0.
func (r TimedRun) Speedup() float64 {
	if !r.Correct {
		return 0
	}
	return r.Reference / r.Time
}

// Speedups sums up programs that were to be made faster (ParEval's metrics, as arXiv 2505.23946 reports them). All numbers are NaN without programs.
type Speedups struct {
	GeoMean float64 // exp(mean log max(1, s)): one that is slower or wrong is not used, and counts 1
	Correct float64 // share
	Over2   float64 // share with s ≥ 2
}

// SpeedupsOf sums up some runs.
func SpeedupsOf(runs []TimedRun) Speedups {
	var s Speedups
	for _, r := range runs {
		x := r.Speedup()
		s.GeoMean += math.Log(max(1, x))
		if r.Correct {
			s.Correct++
		}
		if !tie.Above(2, x, 0) {
			s.Over2++
		}
	}
	n := float64(len(runs)) // 0/0 is NaN
	return Speedups{GeoMean: math.Exp(s.GeoMean / n), Correct: s.Correct / n, Over2: s.Over2 / n}
}
