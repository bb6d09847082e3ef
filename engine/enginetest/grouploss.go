package enginetest

import "math"

// BehaviourWeights returns min(π/π_behaviour, limit) for every token, the weights that correct for tokens having been drawn
// from another distribution than the one that is trained (MAGRPO §4.4). They are constants of the loss: no gradient flows through them.
func BehaviourWeights[F float32 | float64](logprobs, behaviour []F, limit float64) []float64 {
	w := make([]float64, len(logprobs))
	for t := range w {
		w[t] = math.Min(math.Exp(float64(logprobs[t])-float64(behaviour[t])), limit)
	}
	return w
}

// GroupLoss returns the loss of one group under a reduction, seq_sum, seq_mean, token_mean or sum (MAGRPO §2.4), and its gradient with
// respect to every log-probability. logprobs[j] are those of the tokens of completion j (no padding), advantages[j] its advantage;
// weights, if not nil, has the shape of logprobs and multiplies each token's term ([BehaviourWeights]).
func GroupLoss[F float32 | float64](logprobs [][]F, weights [][]float64, advantages []float64, reduction string) (loss float64, grad [][]float64) {
	all := 0
	for _, lp := range logprobs {
		all += len(lp)
	}
	grad = make([][]float64, len(logprobs))
	for j, lp := range logprobs {
		grad[j] = make([]float64, len(lp))
		divisor := map[string]float64{
			"seq_sum": float64(len(logprobs)), "seq_mean": float64(len(logprobs) * len(lp)), "token_mean": float64(all), "sum": 1,
		}[reduction]
		for t := range lp {
			grad[j][t] = -advantages[j] / divisor
			if weights != nil {
				grad[j][t] *= weights[j][t]
			}
			loss += grad[j][t] * float64(lp[t]) // the loss is linear in the log-probabilities
		}
	}
	return loss, grad
}

// CompatGroupLoss is the loss of the published library (v1.4): rows are padded to one length, pads are scored like tokens, and the last
// position of every row is dropped, so that the end token of the longest completions is never learnt (MAGRPO §3). rows is
// [G][padded length].
func CompatGroupLoss[F float32 | float64](rows [][]F, advantages []float64) (loss float64, grad [][]float64) {
	grad = make([][]float64, len(rows))
	for j, row := range rows {
		grad[j] = make([]float64, len(row))
		for t := range len(row) - 1 {
			grad[j][t] = -advantages[j] / float64(len(rows))
			loss += grad[j][t] * float64(row[t])
		}
	}
	return loss, grad
}
