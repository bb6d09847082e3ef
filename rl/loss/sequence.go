package loss

import (
	"fmt"

	"parley/engine"
)

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
