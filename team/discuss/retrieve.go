package discuss

import (
	"math"

	"parley/internal/tie"
)

// Retriever returns who scores and who answers: the last of the order, and the others.
func Retriever(order []int) (retriever int, candidates []int) {
	n := len(order) - 1
	return order[n], order[:n]
}

// Retrieve returns the index of the candidate with the highest score of faithfulness, the first among equals; −1: there is none. Scores are cut to 0
// and 1; one that could not be read is NaN, and counts 0.
func Retrieve(scores []float64) int {
	if len(scores) == 0 {
		return -1
	}
	cut := make([]float64, len(scores))
	for i, s := range scores {
		if !math.IsNaN(s) {
			cut[i] = min(max(s, 0), 1)
		}
	}
	return tie.Best(cut, 1)
}
