package loss

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
