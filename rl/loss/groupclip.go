package loss

import (
	"fmt"

	"parley/internal/tie"
	"parley/rl/credit"
)

// A ClippedGroup is the loss of one group of answers to one prompt without any normalisation by their own spread or length, as Dr. GRPO has it
// (Liu et al., arXiv 2503.20783) and as the leader of MLPO is trained (arXiv 2507.08960):
//
//	Â_g = r_g − mean r
//	L   = −1/(G·Divisor) Σ_g Σ_t min(ρÂ, clip(ρ)Â)
//
// Divisor is a constant, such as the most tokens of an answer: long answers are not weighed down.
type ClippedGroup struct {
	Clip    Clip
	Divisor float64
}

// A GroupLoss is the loss of a group.
type GroupLoss struct {
	Advantages   []float64   // of each answer; exactly 0 where all rewards are equal
	Loss         float64     //
	Grads        [][]float64 // [answer][token] derivatives with respect to the log-probabilities
	ClipFraction float64     // share of all tokens that the clip holds; 0 without tokens
}

// Of returns the loss of answers with these rewards; logps and old are [answer][token].
func (c ClippedGroup) Of(rewards []float64, logps, old [][]float64) (GroupLoss, error) {
	if len(logps) != len(rewards) || len(old) != len(rewards) || !(c.Divisor > 0) {
		return GroupLoss{}, fmt.Errorf("group loss: %d rewards, %d and %d answers, divisor %v", len(rewards), len(logps), len(old), c.Divisor)
	}
	var out GroupLoss
	var err error
	if out.Advantages, err = credit.Advantages(rewards, credit.ModeMean, false); err != nil {
		return GroupLoss{}, fmt.Errorf("group loss: %w", err)
	}
	if tie.All(rewards, 0) { // their mean may be off by rounding
		clear(out.Advantages)
	}
	objective := TokenObjective{Loss: PPO, Reduction: SeqSum, Clip: c.Clip}
	lengths, tokens, clipped := make([]int, len(logps)), 0, 0
	for g := range logps {
		lengths[g] = len(logps[g])
		tokens += len(logps[g])
	}
	for g, scale := range objective.Reduction.TokenScales(lengths) {
		s := TokenSequence[float64]{Logprobs: logps[g], Old: old[g], Advantages: out.Advantages[g : g+1]}
		if err := s.check(objective, lengths[g]); err != nil {
			return GroupLoss{}, fmt.Errorf("group loss: answer %d: %w", g, err)
		}
		grads := make([]float64, lengths[g])
		for t, term := range sequenceTerms(objective, s) {
			out.Loss += term.Loss * scale / c.Divisor
			grads[t] = term.Grad * scale / c.Divisor
			clipped += count(term.Clipped)
		}
		out.Grads = append(out.Grads, grads)
	}
	out.ClipFraction = float64(clipped) / float64(max(tokens, 1))
	return out, nil
}
