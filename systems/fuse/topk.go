package fuse

import (
	"cmp"
	"math"
	"slices"
)

// A Logits row holds the best tokens at one position, the best first.
type Logits struct {
	IDs    []int
	Values []float64
}

// Top returns the k highest of a whole row of logits, or all where there are fewer; of equals the lower id comes first.
func Top(logits []float64, k int) Logits {
	order := make([]int, len(logits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(logits[b], logits[a]) })
	out := Logits{IDs: order[:min(k, len(order))]}
	for _, id := range out.IDs {
		out.Values = append(out.Values, logits[id])
	}
	return out
}

// Probabilities returns the softmax of the kept logits, and of these alone, at a temperature.
func (l Logits) Probabilities(temperature float64) []float64 {
	out := make([]float64, len(l.Values))
	if len(out) == 0 {
		return out
	}
	most, sum := slices.Max(l.Values), 0.0
	for i, x := range l.Values {
		out[i] = math.Exp((x - most) / temperature)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}
