package eval

import (
	"math"
	"slices"
)

// Pooled are the scores of one system in several runs on the same problems, of one measure: the runs differ in their seeds.
type Pooled struct {
	Measure Measure
	Runs    [][]float64 // [run][problem]
}

// Mean is the mean over runs and problems.
func (x Pooled) Mean() float64 { return Mean(x.runs()) }

// runs are the means of every run, over problems.
func (x Pooled) runs() []float64 {
	out := make([]float64, len(x.Runs))
	for s, scores := range x.Runs {
		out[s] = Mean(scores)
	}
	return out
}

// problems are the means of every problem, over runs.
func (x Pooled) problems() []float64 {
	out := make([]float64, len(x.Runs[0]))
	for _, scores := range x.Runs {
		for p, score := range scores {
			out[p] += score / float64(len(x.Runs))
		}
	}
	return out
}

// Interval is the 95 % interval of the mean for other seeds and other problems; see [ComparePooled]. Of one run, and where nothing varies,
// it is [OverProblems].
func (x Pooled) Interval(stream uint64) Interval {
	e := estimate{x.Mean(), []component{ofMean(x.problems()), ofMean(x.runs())}}
	if len(x.Runs) == 1 || e.variance() == 0 {
		return OverProblems(x.problems(), stream)
	}
	return e.interval()
}

// ComparePooled compares two systems of which each was run with several seeds, all on the same problems. Runs and problems are both drawn from
// more: the difference D of the means has a part of its variance from the problems, which the two systems share, and one from the runs of
// each. With d_p the difference of the systems' means at problem p, a_s and b_s the means of the runs, and s² the variance of a sample,
//
//	V = s²(d)/P + s²(a)/S_a + s²(b)/S_b
//
// The noise of single scores is in all three, so V is rather too large than too small (Owen 2007, on resampling both ways). The
// interval is D ± t·√V and the p-value that of D/√V by Student's t, whose degrees of freedom are Satterthwaite's: V²/Σ(V_k²/f_k), with P − 1,
// S_a − 1 and S_b − 1 of the parts. With few runs that is what keeps chance from looking like an effect.
//
// Of one run each, nothing can be known about other seeds: then it is [Compare], over problems alone. Where nothing varies, too. Scores of two
// measures are refused.
func ComparePooled(a, b Pooled, stream uint64) (Difference, error) {
	if err := same(a.Measure, b.Measure); err != nil {
		return Difference{}, err
	}
	first, second := a.problems(), b.problems()
	d := make([]float64, len(first))
	for p := range d {
		d[p] = first[p] - second[p]
	}
	e := estimate{Mean(d), []component{ofMean(d), ofMean(a.runs()), ofMean(b.runs())}}
	if len(a.Runs) == 1 && len(b.Runs) == 1 || e.variance() == 0 {
		return compare(first, second, stream), nil
	}
	return Difference{Mean: e.value, Interval: e.interval(), P: studentTails(math.Abs(e.value)/math.Sqrt(e.variance()), e.freedom())}, nil
}

// An estimate is a number with the parts of its variance.
type estimate struct {
	value float64
	parts []component
}

// A component is a part of a variance and its degrees of freedom.
type component struct{ variance, freedom float64 }

// ofMean is the variance of the mean of values; a single value says nothing.
func ofMean(values []float64) component {
	n := float64(len(values))
	if n < 2 {
		return component{}
	}
	centre, squares := Mean(values), 0.0
	for _, v := range values {
		squares += (v - centre) * (v - centre)
	}
	return component{squares / (n - 1) / n, n - 1}
}

func (e estimate) variance() float64 {
	v := 0.0
	for _, c := range e.parts {
		v += c.variance
	}
	return v
}

// freedom is Satterthwaite's.
func (e estimate) freedom() float64 {
	v, sum := e.variance(), 0.0
	for _, c := range e.parts {
		if c.variance > 0 {
			sum += c.variance * c.variance / c.freedom
		}
	}
	return v * v / sum
}

func (e estimate) interval() Interval {
	half := studentQuantile(0.05, e.freedom()) * math.Sqrt(e.variance())
	return Interval{e.value - half, e.value + half}
}

// studentQuantile is the t beyond which, in both directions, Student's distribution has the share p.
func studentQuantile(p, freedom float64) float64 {
	low, high := 0.0, 1.0
	for studentTails(high, freedom) > p {
		high *= 2
	}
	for range 100 {
		if middle := (low + high) / 2; studentTails(middle, freedom) > p {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// studentTails is the probability that |T| ≥ t, of Student's T with f degrees of freedom: I_x(f/2, 1/2) at x = f/(f + t²), with the
// incomplete beta function I.
func studentTails(t, freedom float64) float64 {
	return incompleteBeta(freedom/2, 0.5, freedom/(freedom+t*t))
}

// incompleteBeta is I_x(a, b), by its continued fraction (NIST Handbook of Mathematical Functions, 8.17.22).
func incompleteBeta(a, b, x float64) float64 {
	if x <= 0 || x >= 1 {
		return max(0, min(1, x))
	}
	if x > (a+1)/(a+b+2) { // where the fraction would converge slowly
		return 1 - incompleteBeta(b, a, 1-x)
	}
	left, _ := math.Lgamma(a + b)
	first, _ := math.Lgamma(a)
	second, _ := math.Lgamma(b)
	factor := math.Exp(left-first-second+a*math.Log(x)+b*math.Log1p(-x)) / a
	// The fraction is computed from its far end.
	const depth = 500
	value := 1.0
	for m := depth; m >= 1; m-- {
		n := float64(m)
		even := n * (b - n) * x / ((a + 2*n - 1) * (a + 2*n))
		odd := -(a + n - 1) * (a + b + n - 1) * x / ((a + 2*n - 2) * (a + 2*n - 1))
		value = 1 + odd/(1+even/value)
	}
	return factor / value
}

// Holm adjusts the p-values of several comparisons so that the chance of even one false discovery among them stays bounded (Holm 1979): in
// increasing order the i-th of m, from 0, times m − i, at least the one before it and at most 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case p[i] < p[j]:
			return -1
		case p[i] > p[j]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		out[i] = least
	}
	return out
}
