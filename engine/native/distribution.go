package native

import (
	"cmp"
	"math"
	"slices"

	"parley/engine"
	"parley/engine/native/kernel"
)

var negativeInfinity = float32(math.Inf(-1))

// normalized brings settings that mean the same into one form: greedy sampling reports the full distribution at temperature 1.
func normalized(s engine.Sampling) engine.Sampling {
	if s.Temperature == 0 {
		return engine.Sampling{Temperature: 1}
	}
	if s.TopP == 1 {
		s.TopP = 0
	}
	return s
}

// warpAndNormalizer turns logits z [vocab] into the unnormalised log-probabilities of s, as warpLogits does, and returns the log of their
// normaliser.
func warpAndNormalizer(k *kernel.Kernels, z []float32, s engine.Sampling, keep int) float32 {
	warpLogits(k, z, s, keep)
	return k.LogSumExp(z)
}

// warpLogits turns logits z [vocab] into the unnormalised log-probabilities of s (which is normalized), in place: divided by the
// temperature, -Inf for what the cuts remove. The token keep stays in; -1: none.
//
// Sampling calls it without keep and scoring with the token to be scored. A token that was sampled is in the cut anyway, so
// both see the same values.
func warpLogits(k *kernel.Kernels, z []float32, s engine.Sampling, keep int) {
	applyTemperature(k, z, s.Temperature)
	truncate(k, z, s, keep)
}

// truncate makes what the cuts of s remove -Inf, but for keep.
func truncate(k *kernel.Kernels, z []float32, s engine.Sampling, keep int) {
	if !truncates(s, len(z)) {
		return
	}
	var kept float32
	if keep >= 0 {
		kept = z[keep]
	}
	if s.TopK > 0 && s.TopK < len(z) {
		truncateTopK(z, s.TopK)
	}
	if s.TopP > 0 {
		truncateTopP(k, z, s.TopP)
	}
	if keep >= 0 {
		z[keep] = kept
	}
}

// applyTemperature divides logits by the temperature.
func applyTemperature(k *kernel.Kernels, z []float32, temperature float64) {
	if temperature != 1 {
		k.Scale(z, float32(1/temperature))
	}
}

// truncates reports whether s removes tokens of a vocabulary, so that it needs all logits at once.
func truncates(s engine.Sampling, vocab int) bool { return s.TopK > 0 && s.TopK < vocab || s.TopP > 0 }

// warps reports whether warpLogits changes logits over a vocabulary.
func warps(s engine.Sampling, vocab int) bool { return s.Temperature != 1 || truncates(s, vocab) }

// truncateTopK keeps the n largest, of equal ones those with the lower ids.
func truncateTopK(z []float32, n int) {
	least := nth(slices.Clone(z), n)
	equal := n
	for _, v := range z {
		if v > least {
			equal--
		}
	}
	for i, v := range z {
		if v == least && equal > 0 {
			equal--
		} else if !(v > least) {
			z[i] = negativeInfinity
		}
	}
}

// nth returns the n-th largest of z, n from 1, and mixes z up.
func nth(z []float32, n int) float32 {
	for lo, hi := 0, len(z)-1; ; {
		if lo >= hi {
			return z[n-1]
		}
		pivot := z[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for z[i] > pivot {
				i++
			}
			for z[j] < pivot {
				j--
			}
			if i <= j {
				z[i], z[j] = z[j], z[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n-1 <= j:
			hi = j
		case n-1 >= i:
			lo = i
		default:
			return z[n-1]
		}
	}
}

// truncateTopP keeps the shortest prefix of descending probability whose mass reaches p. Tokens below (1-p)/len(z) cannot belong
// to it, since all of them together have less mass than 1-p: only the others are sorted.
func truncateTopP(k *kernel.Kernels, z []float32, p float64) {
	norm := k.LogSumExp(z)
	floor := (1 - p) / float64(len(z)) * (1 - 1e-5)
	least := float32(math.Log(floor) - 1e-3) // what lies below is not worth an exponential
	type entry struct {
		id int
		z  float32
		p  float64
	}
	var sorted []entry
	for i, v := range z {
		if v-norm < least {
			continue
		}
		if q := math.Exp(float64(v - norm)); q >= floor && q > 0 {
			sorted = append(sorted, entry{i, v, q})
		}
	}
	slices.SortFunc(sorted, func(a, b entry) int { return cmp.Or(cmp.Compare(b.z, a.z), cmp.Compare(a.id, b.id)) })
	for i := range z {
		z[i] = negativeInfinity
	}
	mass := 0.0
	for _, e := range sorted {
		z[e.id] = e.z
		if mass += e.p; mass >= p {
			return
		}
	}
}
