package tokens

import (
	"cmp"
	"math"
	"slices"

	"parley/engine"
)

// entropy is that of the distribution of the token at a place of a completion, from 0, in nats. logprobs are those at its temperature, over the
// whole vocabulary; what masks and cuts remove is removed here. They are overwritten.
func entropy(logprobs []float32, s engine.Sampling, m engine.Mask, place int) float64 {
	without := float32(math.Inf(-1))
	for _, r := range m.Never {
		for id := max(r[0], 0); id < min(r[1], len(logprobs)); id++ {
			logprobs[id] = without
		}
	}
	if place < m.Least {
		for _, id := range m.Early {
			if id >= 0 && id < len(logprobs) {
				logprobs[id] = without
			}
		}
	}
	if s.Temperature > 0 { // greedy choices have those of temperature 1, without cuts
		cut(logprobs, s.TopK, s.TopP)
	}
	mass, weighed := 0.0, 0.0
	for _, l := range logprobs {
		if p := math.Exp(float64(l)); p > 0 {
			mass += p
			weighed += p * float64(l)
		}
	}
	return max(0, math.Log(mass)-weighed/mass)
}

// cut removes all but the k most probable tokens, of equal ones those with lower ids, and of these all behind the first whose mass reaches p.
func cut(logprobs []float32, k int, p float64) {
	if k <= 0 || k > len(logprobs) {
		k = len(logprobs)
	}
	whole := !(p > 0 && p < 1)
	if whole && k == len(logprobs) {
		return
	}
	order := make([]int, len(logprobs))
	for id := range order {
		order[id] = id
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(logprobs[b], logprobs[a]) })
	mass := 0.0
	for _, id := range order[:k] {
		mass += math.Exp(float64(logprobs[id]))
	}
	reached := 0.0
	for i, id := range order {
		if i >= k || !whole && reached >= p*mass {
			logprobs[id] = float32(math.Inf(-1))
			continue
		}
		reached += math.Exp(float64(logprobs[id]))
	}
}
