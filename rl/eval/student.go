package eval

import "math"

// quantiles975 are the 97.5 % quantiles of Student's t with 1, 2, … degrees of freedom.
var quantiles975 = []float64{12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281}

// Student returns the mean of n values and its 95 % interval by Student's t, mean ± t_{n−1}·sd/√n with the n−1 deviation: for a few runs
// over seeds, each value the result of one.
// A single value has an interval of no width, at itself.
func Student(values []float64) (centre float64, ci Interval) {
	centre = mean(values)
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
