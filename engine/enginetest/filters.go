package enginetest

import (
	"math"
	"slices"

	"parley/engine"
)

// Filters are the settings that make a distribution to sample from of a model's logits: those of [engine.Sampling], and two
// more that other inference engines know. They act in this order: repetition penalty, temperature, top-k, top-p, min-p.
type Filters struct {
	engine.Sampling
	// RepetitionPenalty makes tokens that were there before less likely: a positive logit is divided by it, a negative one
	// multiplied (CTRL, arXiv 1909.05858, §4.1, with a sign for negative logits). 0 and 1 both mean: none.
	RepetitionPenalty float64
	// MinP drops tokens with less than this share of the most likely token's probability (arXiv 2407.01082, §3.2). 0: none.
	MinP float64
}

// FilteredLogprobs is [SamplingLogprobs] with all filters. previous are the tokens so far; what comes twice counts once.
func FilteredLogprobs(logits []float64, previous []int, f Filters) []float64 {
	scaled := slices.Clone(logits)
	penalise(scaled, previous, f.RepetitionPenalty)
	if f.Temperature != 0 {
		for i := range scaled {
			scaled[i] /= f.Temperature
		}
	}
	kept := f.keep(scaled)
	logprobs := make([]float64, len(logits))
	for i := range logprobs {
		logprobs[i] = math.Inf(-1)
	}
	norm := logSumExp(scaled, kept)
	for _, i := range kept {
		logprobs[i] = scaled[i] - norm
	}
	return logprobs
}

func penalise(logits []float64, previous []int, penalty float64) {
	if penalty == 0 {
		return
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(previous)))
	for _, i := range distinct {
		if logits[i] > 0 {
			logits[i] /= penalty
		} else {
			logits[i] *= penalty
		}
	}
}

// keep returns the tokens that pass all cuts, the most likely one first; it always passes.
func (f Filters) keep(scaled []float64) []int {
	kept := descending(scaled)
	if f.TopK > 0 && f.TopK < len(kept) {
		kept = kept[:f.TopK]
	}
	if f.TopP > 0 && f.TopP < 1 {
		kept = nucleus(scaled, kept, f.TopP)
	}
	if f.MinP > 0 {
		least := scaled[kept[0]] + math.Log(min(f.MinP, 1))
		for scaled[kept[len(kept)-1]] < least {
			kept = kept[:len(kept)-1]
		}
	}
	return kept
}
