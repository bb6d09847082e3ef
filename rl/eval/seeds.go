package eval

import (
	"math"

	"parley/internal/tie"
)

// PairedBySeed compares two systems by one number a run, such as an exploitability, of runs with the same seeds in the same order: a seed draws
// the same problems in both. The interval is Student's of the differences, [Student], and P that of a paired t test, two-sided, with n − 1
// degrees of freedom. One pair has no interval and P 1. Where all differences are equal P is 0, or 1 where they are none.
func PairedBySeed(a, b []float64) Difference {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	centre, ci := Student(d)
	n := float64(len(d))
	if n < 2 {
		return Difference{Mean: centre, Interval: Interval{math.Inf(-1), math.Inf(1)}, P: 1}
	}
	e := estimate{centre, []component{ofMean(d)}}
	switch v := e.variance(); {
	case v > 0 && !tie.All(d, 1):
		return Difference{Mean: centre, Interval: ci, P: studentTails(math.Abs(centre)/math.Sqrt(v), n-1)}
	case tie.Equal(centre, 0, 1):
		return Difference{Interval: Interval{}, P: 1}
	}
	return Difference{Mean: centre, Interval: ci}
}
