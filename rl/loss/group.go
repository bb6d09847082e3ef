package loss

import "fmt"

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
