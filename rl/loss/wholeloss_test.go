package loss

import "fmt"

// wholeLoss returns the loss of some sequences and its gradient with respect to every log-probability, in the shape of their
// Logprobs and 0 where masked.
func wholeLoss[F float32 | float64](o TokenObjective, sequences []TokenSequence[F]) (loss float64, grad [][]float64, err error) {
	if err := o.Check(); err != nil {
		return 0, nil, err
	}
	lengths := make([]int, len(sequences))
	for i, s := range sequences {
		if err := s.check(o, len(s.Logprobs)); err != nil {
			return 0, nil, fmt.Errorf("token loss of sequence %d: %w", i, err)
		}
		lengths[i] = s.counted(len(s.Logprobs))
	}
	grad = make([][]float64, len(sequences))
	for i, scale := range o.Reduction.TokenScales(lengths) {
		grad[i] = make([]float64, len(sequences[i].Logprobs))
		for x, term := range sequenceTerms(o, sequences[i]) {
			loss += scale * term.Loss
			grad[i][x] = scale * term.Grad
		}
	}
	return loss, grad, nil
}
