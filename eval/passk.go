package eval

import "parley/internal/tie"

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
