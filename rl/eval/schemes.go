package eval

import (
	"maps"
	"math"
	"slices"
)

// Distribution turns counts of labels into shares of their sum, and returns the entropy of the distribution in nats (MAGRPO §14 for
// cooperation schemes): −Σ p·ln p, which is 0 for one label and ln k for k equally frequent ones. It adds up in the order of the labels, so that equal counts give equal bits.
func Distribution(counts map[string]int) (shares map[string]float64, entropy float64) {
	all := 0
	for _, n := range counts {
		all += n
	}
	shares = map[string]float64{}
	for _, label := range slices.Sorted(maps.Keys(counts)) {
		p := float64(counts[label]) / float64(max(all, 1))
		shares[label] = p
		if p > 0 && p < 1 {
			entropy -= p * math.Log(p)
		}
	}
	return shares, entropy
}
