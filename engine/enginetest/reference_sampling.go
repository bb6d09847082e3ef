package enginetest

import (
	"math"
	"slices"

	"parley/engine"
)

// SamplingLogprobs is the reference definition of the distribution that [engine.Sampling] makes from logits (MAGRPO §4.3):
// logits are divided by the temperature, cut to the TopK largest (ties: lower id first), cut to the smallest prefix of
// descending probability whose mass reaches TopP (the token that crosses is kept; probabilities are those after the first
// cut), and renormalised. Tokens that cannot be sampled have −Inf. Engines are tested against it.
func SamplingLogprobs(logits []float64, s engine.Sampling) []float64 {
	return FilteredLogprobs(logits, nil, Filters{Sampling: s})
}

// descending returns the indices of x from the largest to the smallest, equal ones by index.
func descending(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] > x[b]:
			return -1
		case x[a] < x[b]:
			return 1
		}
		return 0
	})
	return order
}

func nucleus(scaled []float64, order []int, mass float64) []int {
	norm := logSumExp(scaled, order)
	sum := 0.0
	for n, i := range order {
		sum += math.Exp(scaled[i] - norm)
		if sum >= mass {
			return order[:n+1]
		}
	}
	return order
}

// logSumExp is over x at the indices of order, of which the first is the largest.
func logSumExp(x []float64, order []int) float64 {
	largest, sum := x[order[0]], 0.0
	for _, i := range order {
		sum += math.Exp(x[i] - largest)
	}
	return largest + math.Log(sum)
}
