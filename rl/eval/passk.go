package eval

import (
	"slices"

	"parley/internal/tie"
)

// PassAtKOf is [PassAtK] of samples by the share that each solves of a problem: one passes that solves all of it.
func PassAtKOf(shares []float64, k int) float64 { return PassAtK(len(shares), passes(shares), k) }

// passes counts the samples that solve all of a problem.
func passes(shares []float64) int {
	n := 0
	for _, s := range shares {
		if tie.Equal(s, 1, 1) {
			n++
		}
	}
	return n
}

// PassAtK returns the unbiased estimate of the probability that at least one of k samples passes, given that correct of n
// samples did: 1 − C(n−c, k)/C(n, k) (MAGRPO §10). k is at most n.
func PassAtK(n, correct, k int) float64 {
	if n-correct < k {
		return 1
	}
	// The probability that k samples drawn without replacement all fail is C(n−c, k)/C(n, k) = Π (n−c−i)/(n−i): a product of
	// shares, where binomial coefficients would overflow.
	miss := 1.0
	for i := range k {
		miss *= float64(n-correct-i) / float64(n-i)
	}
	return 1 - miss
}

// PassHatK returns the unbiased estimate of the probability that k samples all pass, given that correct of n did: C(c, k)/C(n, k). k is at most n.
func PassHatK(n, correct, k int) float64 {
	all := 1.0
	for i := range k {
		all *= max(0, float64(correct-i)) / float64(n-i)
	}
	return all
}

// PassHatKOf is [PassHatK] of samples that are 1 where they pass.
func PassHatKOf(passed []float64, k int) float64 { return PassHatK(len(passed), passes(passed), k) }

// BestOfFirst returns the largest of the first k scores (accuracy@k with pass rates as scores, MaxCoop@k with cooperation
// rewards; MAGRPO §10). Of outcomes that are 0 or 1 it says whether any of the first k passes, the biased measure that the paper publishes.
func BestOfFirst(scores []float64, k int) float64 {
	return slices.Max(scores[:min(k, len(scores))])
}

// ExpectedBest returns the exact expectation of the largest of k scores drawn without replacement. k is from 1 to
// len(scores).
func ExpectedBest(scores []float64, k int) float64 {
	sorted := slices.Sorted(slices.Values(scores))
	n := len(sorted)
	expectation := 0.0
	// The i-th smallest (from 0) is the largest of the subset with probability C(i, k−1)/C(n, k); walking down from the
	// largest, C(n−1, k−1)/C(n, k) = k/n, and C(i−1, k−1)/C(i, k−1) = (i−k+1)/i.
	p := float64(k) / float64(n)
	for i := n - 1; i >= k-1; i-- {
		expectation += p * sorted[i]
		if i > 0 {
			p *= float64(i-k+1) / float64(i)
		}
	}
	return expectation
}
