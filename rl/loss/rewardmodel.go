package loss

import (
	"fmt"

	"parley/engine"
)

// BradleyTerry returns the loss of a reward model on a pair, −log σ(winner − loser), and its derivative with respect to the
// winner's score; that with respect to the loser's is the negative (MARLHF, MAGRPO §5; Bradley and Terry 1952).
//
// It couples two sequences, so it is computed from a forward pass and then trained with [ValueWeights].
func BradleyTerry(winner, loser float64) (loss, grad float64) {
	d := winner - loser
	return softplus(-d), -sigmoid(-d)
}

// ValueWeights returns the loss Σ_i weights[i]·value i, with the value of the state after the last token of datum i: the second
// pass of losses that couple the scores of sequences, as [SequenceWeights] is for log-probabilities.
func ValueWeights(weights []float64) engine.Loss {
	return func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		if first < 0 || first+len(outputs) > len(weights) {
			return nil, fmt.Errorf("value weights: outputs %d to %d, %d weights", first, first+len(outputs), len(weights))
		}
		grads := make([]engine.Gradient, len(outputs))
		for i, out := range outputs {
			if len(out.Values) == 0 {
				return nil, fmt.Errorf("value weights: output %d has no values: the policy needs a value head", first+i)
			}
			grads[i].Values = make([]float32, len(out.Values))
			grads[i].Values[len(out.Values)-1] = float32(weights[first+i])
		}
		return grads, nil
	}
}
