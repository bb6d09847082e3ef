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

// DPO returns the direct preference loss of a pair (Rafailov et al., arXiv 2305.18290, Eq. 7) and its derivative with respect
// to the winner's log-probability; that with respect to the loser's is the negative. With d = p.Delta() it is
// −(1−smoothing)·log σ(β·d) − smoothing·log σ(−β·d): smoothing is the share of labels taken to be wrong (Mitchell,
// "conservative DPO", 2023), 0 in the paper. It is [MADPO] of one agent.
//
// As all preference losses it couples two sequences, so it is computed from a forward pass and then trained with
// [SequenceWeights]: the derivative for the winner, its negative for the loser.
func DPO(p JointPreference, beta, smoothing float64) (loss, grad float64) {
	right, rightGrad := MADPO([]JointPreference{p}, beta)
	wrong, wrongGrad := MADPO([]JointPreference{p.swapped()}, beta)
	return (1-smoothing)*right + smoothing*wrong, (1-smoothing)*rightGrad - smoothing*wrongGrad
}

// IPO returns the identity preference loss of a pair, (d − 1/(2β))² with d = p.Delta(), and its derivative as [DPO] does
// (Azar et al., arXiv 2310.12036, Eq. 17). The log-probabilities of p are means over tokens here, not sums, so that d does not
// grow with length; a token's gradient is the derivative divided by the number of its sequence's tokens.
func IPO(p JointPreference, beta float64) (loss, grad float64) {
	return SquaredValueLoss(p.Delta(), 1/(2*beta))
}

func (p JointPreference) swapped() JointPreference {
	return JointPreference{
		Winner: p.Loser, Loser: p.Winner, ReferenceWinner: p.ReferenceLoser, ReferenceLoser: p.ReferenceWinner,
	}
}
