package eval

import (
	"math"
	"slices"

	"parley/internal/seed"
	"parley/internal/tie"
)

// z95 is the 97.5 % quantile of the standard normal distribution.
const z95 = 1.959963984540054

// An Interval is a 95 % confidence interval.
type Interval struct{ Low, High float64 }

// Wilson returns Wilson's score interval of a proportion p = successes/n (Wilson 1927): with z the normal quantile,
//
//	(p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)
//
// Unlike the normal approximation it stays inside [0, 1] and is not empty at 0 and n successes. Without trials it is [0, 1].
func Wilson(successes float64, n int) Interval {
	if n == 0 {
		return Interval{0, 1}
	}
	count := float64(n)
	p := successes / count
	scale := 1 / (1 + z95*z95/count)
	centre := scale * (p + z95*z95/(2*count))
	half := scale * z95 * math.Sqrt(p*(1-p)/count+z95*z95/(4*count*count))
	return Interval{max(0, centre-half), min(1, centre+half)}
}

// Bootstrap returns the percentile bootstrap interval of the mean of scores: the middle 95 % of the means of resamples drawn
// with replacement. The same seed gives the same interval.
func Bootstrap(scores []float64, resamples int, stream uint64) Interval {
	if len(scores) == 0 || resamples == 0 {
		return Interval{math.Inf(-1), math.Inf(1)}
	}
	rng := seed.Stream(stream)
	means := make([]float64, resamples)
	for i := range means {
		for range scores {
			means[i] += scores[rng.IntN(len(scores))]
		}
		means[i] /= float64(len(scores))
	}
	slices.Sort(means)
	return Interval{quantile(means, 0.025), quantile(means, 0.975)}
}

// resamples of a bootstrap, and sign flips of a permutation test: the error of a bound or of a p-value is then far below what is
// read off a report.
const resamples = 10000

// OverProblems returns the interval that a report gives with the mean of scores in [0, 1], one score a problem: the bootstrap over
// problems. Where all scores are equal resampling has nothing to tell, and it is Wilson's.
func OverProblems(scores []float64, stream uint64) Interval {
	if len(scores) < 2 || tie.All(scores, 1) {
		return Wilson(Mean(scores)*float64(len(scores)), len(scores))
	}
	return Bootstrap(scores, resamples, stream)
}

// quantile interpolates linearly between the order statistics of n sorted values: the q-quantile stands at q·(n−1), from 0.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// Mean is 0 of nothing.
func Mean(xs []float64) float64 { return sum(xs) / float64(max(len(xs), 1)) }

func sum(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}

// quantiles975 are the 97.5 % quantiles of Student's t with 1, 2, … degrees of freedom.
var quantiles975 = []float64{12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281}

// Student returns the mean of n values and its 95 % interval by Student's t, mean ± t_{n−1}·sd/√n with the n−1 deviation: for a few runs
// over seeds, each value the result of one.
// A single value has an interval of no width, at itself.
func Student(values []float64) (centre float64, ci Interval) {
	centre = Mean(values)
	n := len(values)
	if n < 2 {
		return centre, Interval{centre, centre}
	}
	// centre ± t·s/√n, with the deviation s of a sample and the quantile t for the n − 1 degrees of freedom that it leaves.
	ss := 0.0
	for _, v := range values {
		ss += (v - centre) * (v - centre)
	}
	half := student975(n-1) * math.Sqrt(ss/float64(n-1)/float64(n))
	return centre, Interval{centre - half, centre + half}
}

// student975 is the quantile for so many degrees of freedom; beyond the table by the expansion of Cornish and Fisher
// in powers of 1/freedom, which starts from the normal quantile.
func student975(freedom int) float64 {
	if freedom <= len(quantiles975) {
		return quantiles975[freedom-1]
	}
	z, f := z95, float64(freedom)
	return z + (z*z*z+z)/(4*f) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*f*f) + (3*math.Pow(z, 7)+19*math.Pow(z, 5)+17*z*z*z-15*z)/(384*f*f*f)
}
