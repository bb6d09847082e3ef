package loss

import (
	"fmt"
	"math"
)

// A Reduction says how the losses l of the tokens of a group of G completions become one loss. In MAGRPO (§2.4) a token's
// loss is −A_j·lp.
type Reduction string

const (
	SeqSum    Reduction = "seq_sum"    // 1/G Σ_j Σ_t l: MAGRPO's Eq. 2, no length normalisation
	SeqMean   Reduction = "seq_mean"   // 1/G Σ_j mean_t l
	TokenMean Reduction = "token_mean" // Σ_j Σ_t l / all tokens of the group
	TokenSum  Reduction = "sum"        // Σ_j Σ_t l: remote training clusters add up so
)

// Check returns an error for a reduction that is none of the four.
func (r Reduction) Check() error {
	switch r {
	case SeqSum, SeqMean, TokenMean, TokenSum:
		return nil
	}
	return fmt.Errorf("loss reduction %q: write seq_sum, seq_mean, token_mean or sum", r)
}

// TokenScales returns for each completion of a group the factor that its tokens have in the loss, sign and advantage left
// out: 1/G, 1/(G·n_j), 1/Σn or 1. lengths counts the tokens of each completion, the end token included: it belongs to the
// action. A completion without tokens gets 0.
func (r Reduction) TokenScales(lengths []int) []float64 {
	scales := make([]float64, len(lengths))
	total := 0
	for _, n := range lengths {
		total += n
	}
	for j, n := range lengths {
		if n == 0 {
			continue
		}
		switch r {
		case SeqSum:
			scales[j] = 1 / float64(len(lengths))
		case SeqMean:
			scales[j] = 1 / float64(len(lengths)*n)
		case TokenMean:
			scales[j] = 1 / float64(total)
		case TokenSum:
			scales[j] = 1
		}
	}
	return scales
}

// BehaviourWeights returns min(π/π_behaviour, limit) for every token, the weights that correct for tokens having been drawn
// from another distribution than the one that is trained. They are constants of the loss: no gradient flows through them.
func BehaviourWeights[F float32 | float64](logprobs, behaviour []F, limit float64) []float64 {
	w := make([]float64, len(logprobs))
	for t := range w {
		w[t] = math.Min(math.Exp(float64(logprobs[t])-float64(behaviour[t])), limit)
	}
	return w
}

// GroupLoss returns the loss of one group and its gradient with respect to every log-probability. logprobs[j] are those of
// the tokens of completion j (no padding), advantages[j] its advantage; weights, if not nil, has the shape of logprobs and
// multiplies each token's term ([BehaviourWeights]).
func GroupLoss[F float32 | float64](logprobs [][]F, weights [][]float64, advantages []float64, r Reduction) (loss float64, grad [][]float64) {
	lengths := make([]int, len(logprobs))
	for j, lp := range logprobs {
		lengths[j] = len(lp)
	}
	scales := r.TokenScales(lengths)
	grad = make([][]float64, len(logprobs))
	for j, lp := range logprobs {
		grad[j] = make([]float64, len(lp))
		for t := range lp {
			grad[j][t] = -scales[j] * advantages[j]
			if weights != nil {
				grad[j][t] *= weights[j][t]
			}
			loss += grad[j][t] * float64(lp[t]) // the loss is linear in the log-probabilities
		}
	}
	return loss, grad
}

// CompatGroupLoss is the loss of the published library (v1.4), for parity checks only: rows are padded to one length, pads
// are scored like tokens, and the last position of every row is dropped, so that the end token of the longest completions
// is never learnt. rows is [G][padded length].
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
