package loss

import (
	"fmt"

	"parley/engine"
)

// A PolicyBatch is the loss of a policy over the sequences of a batch, any of [TokenObjective]'s. Its Gradient method is the
// [engine.Loss] for the sequences in order.
type PolicyBatch struct {
	objective TokenObjective
	sequences []TokenSequence[float32] // without Logprobs
	scales    []float64                // weight of a sequence's tokens in the loss
	terms     []PolicyStats            // sums by sequence: added up in order, so that statistics do not depend on splits either
}

// NewPolicyBatch prepares the loss of some answers in multi-agent PPO: tokens are averaged within an answer, then answers over the batch
// (MAPoRL §4); o.Reduction is [SeqMean]. window is the number of answers that share one optimizer step, in this call and others; 0
// means these only. The gradients of all calls of a window then add up to that of the mean over it.
func NewPolicyBatch(o TokenObjective, answers []TokenSequence[float32], window int) (*PolicyBatch, error) {
	scale, err := meanOver(len(answers), window)
	if err != nil {
		return nil, fmt.Errorf("policy loss: %w", err)
	}
	b, err := newPolicyBatch(o, answers)
	if err != nil {
		return nil, err
	}
	for i, n := range b.lengths() {
		b.scales[i] = scale / float64(n)
	}
	return b, nil
}

// NewTokenBatch prepares the loss that o says of some sequences, reduced as it says over these.
func NewTokenBatch(o TokenObjective, sequences []TokenSequence[float32]) (*PolicyBatch, error) {
	b, err := newPolicyBatch(o, sequences)
	if err != nil {
		return nil, err
	}
	b.scales = o.Reduction.TokenScales(b.lengths())
	return b, nil
}

// newPolicyBatch takes sequences whose Logprobs are the engine's to compute, and left nil here; their Old is needed whatever the loss,
// for the statistics.
func newPolicyBatch(o TokenObjective, sequences []TokenSequence[float32]) (*PolicyBatch, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	for i, s := range sequences {
		if err := s.check(o, len(s.Old)); err != nil {
			return nil, fmt.Errorf("policy loss: sequence %d: %w", i, err)
		}
		if len(s.Old) == 0 {
			return nil, fmt.Errorf("policy loss: sequence %d has no old log-probabilities", i)
		}
	}
	n := len(sequences)
	return &PolicyBatch{objective: o, sequences: sequences, scales: make([]float64, n), terms: make([]PolicyStats, n)}, nil
}

// lengths are how many tokens count in each sequence.
func (b *PolicyBatch) lengths() []int {
	out := make([]int, len(b.sequences))
	for i, s := range b.sequences {
		out[i] = s.counted(len(s.Old))
	}
	return out
}

// Gradient implements [engine.Loss].
func (b *PolicyBatch) Gradient(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	return gradients("policy loss", "sequence", first, len(b.sequences), outputs, func(i int, out engine.Output) (g engine.Gradient, err error) {
		g.Logprobs, err = b.sequence(i, out.Logprobs)
		return g, err
	})
}

func (b *PolicyBatch) sequence(i int, logprobs []float32) ([]float32, error) {
	s := b.sequences[i]
	if len(logprobs) != len(s.Old) {
		return nil, fmt.Errorf("%d log-probabilities for %d tokens", len(logprobs), len(s.Old))
	}
	s.Logprobs = logprobs
	var sums PolicyStats
	grad := make([]float32, len(logprobs))
	for x, term := range sequenceTerms(b.objective, s) {
		if !s.counts(x) {
			continue
		}
		sums.add(term, float64(logprobs[x]), float64(s.Old[x]), b.scales[i])
		grad[x] = float32(b.scales[i] * term.Grad)
	}
	if err := checkFinite(sums.Loss); err != nil {
		return nil, err
	}
	b.terms[i] = sums
	return grad, nil
}

// Stats returns the statistics of the sequences that Gradient has seen.
func (b *PolicyBatch) Stats() PolicyStats {
	var sums PolicyStats
	for _, t := range b.terms {
		sums.merge(t)
	}
	return sums.means()
}

// SequenceWeights returns the loss Σ_i weights[i]·log π(completion i): every token of completion i has gradient weights[i].
// Losses that couple data are trained with it in two passes: a forward pass says what the weights are, this loss applies
// them. Preference pairs are such a loss, and so is the policy loss of turn-level actor-critics, with
// weights −normalised δ/n.
func SequenceWeights(weights []float64) engine.Loss {
	return func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		if first < 0 || first+len(outputs) > len(weights) {
			return nil, fmt.Errorf("sequence loss: outputs %d to %d, %d weights", first, first+len(outputs), len(weights))
		}
		grads := make([]engine.Gradient, len(outputs))
		for i, out := range outputs {
			g := make([]float32, len(out.Logprobs))
			for t := range g {
				g[t] = float32(weights[first+i])
			}
			grads[i].Logprobs = g
		}
		return grads, nil
	}
}
