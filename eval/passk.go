package eval

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
