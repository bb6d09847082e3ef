package diagnose

import "math"

// spreadFloor is the standard deviation up to which a group counts as equal.
const spreadFloor = 1e-6

// CheckGroups looks for groups of equal credits, which teach nothing, as their advantages are all zero: at least half of all. groups is
// [group][completion].
func CheckGroups(groups [][]float64) Finding {
	f := Finding{Kind: DeadGroups}
	dead := make([]bool, len(groups))
	for i, g := range groups {
		dead[i] = populationStd(g) <= spreadFloor
	}
	if len(groups) > 0 {
		f.check(Check{Rule: "dead_groups", Value: share(dead), Sense: AtLeast, Threshold: 0.5}, where(dead, true))
	}
	return f
}

// CheckWhitening looks, where advantages are normalised, for groups whose spread is tiny but not zero (below 1 % of the
// maximum): at least a quarter of all. Dividing by such a spread makes advantages of about 1 from differences that mean nothing.
func CheckWhitening(groups [][]float64, maximum float64, normalize bool) Finding {
	f := Finding{Kind: WhiteningNoise}
	tiny := make([]bool, len(groups))
	for i, g := range groups {
		s := populationStd(g)
		tiny[i] = s > spreadFloor && s < 0.01*maximum
	}
	if normalize && len(groups) > 0 {
		f.check(Check{Rule: "tiny_spread_whitened", Value: share(tiny), Sense: AtLeast, Threshold: 0.25}, where(tiny, true))
	}
	return f
}

// populationStd is √(Σ (x − mean)²/n).
func populationStd(x []float64) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(x)))
}

// mean is that of the values; of none it is 0.
func mean(x []float64) float64 { return total(x) / float64(max(len(x), 1)) }
