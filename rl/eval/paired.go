package eval

import (
	"math"

	"parley/internal/seed"
	"parley/internal/tie"
)

// A Difference compares two systems that worked on the same problems.
type Difference struct {
	Mean     float64  // of the first system's scores minus the second's
	Interval Interval // 95 %, by the paired bootstrap over problems
	P        float64  // two-sided, of the hypothesis that the two systems are one
}

// Compare compares the scores of two systems, one a problem, in the same order, and refuses those of two measures: with d_i the difference at problem i, Mean is Σ d_i/n. The interval resamples problems with both their
// scores. The p-value is that of Fisher's permutation test: where the systems are one, the names of a problem's two scores can be
// exchanged, so the observed difference is one among those under random exchanges; it counts itself, hence is never 0 (Phipson and
// Smyth 2010). The same stream gives the same numbers.
func Compare(first, second Scores, stream uint64) (Difference, error) {
	if err := same(first.Measure, second.Measure); err != nil {
		return Difference{}, err
	}
	return compare(first.Values, second.Values, stream), nil
}

func compare(first, second []float64, stream uint64) Difference {
	if len(first) != len(second) {
		panic("internal error: systems compared on different problems")
	}
	differences := make([]float64, len(first))
	for i := range first {
		differences[i] = first[i] - second[i]
	}
	return Difference{
		Mean: Mean(differences), Interval: Bootstrap(differences, resamples, seed.Derive(stream, "bootstrap")),
		P: permutationTest(differences, seed.Derive(stream, "permutation")),
	}
}

// permutationTest returns the share of random sign flips s under which |Σ s_i·d_i| ≥ |Σ d_i|, the differences as they are among them:
// (1 + extreme flips)/(1 + flips).
func permutationTest(differences []float64, stream uint64) float64 {
	observed := math.Abs(sum(differences)) - slack
	rng := seed.Stream(stream)
	extreme := 1
	for range resamples {
		flipped := 0.0
		signs := uint64(0)
		for i, d := range differences {
			if i%64 == 0 {
				signs = rng.Uint64()
			}
			if signs>>(i%64)&1 == 1 {
				d = -d
			}
			flipped += d
		}
		if math.Abs(flipped) >= observed {
			extreme++
		}
	}
	return float64(extreme) / (resamples + 1)
}

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
