package loss

import (
	"encoding/json"
	"fmt"
)

// valueObjectives are the value losses of losses.json.
var valueObjectives = map[string]ValueObjective{
	"mse":          {Weight: 1},
	"half_mse":     {Weight: 1, Half: true},
	"clipped":      {Weight: 1, Clip: true},
	"clipped_half": {Weight: 1, Clip: true, Half: true},
}

func valueGoldens(text []byte) (func(lossCase) (lossResult, error), error) {
	var s struct {
		Inputs struct {
			Mask       flags
			V, Vold, G []float64
		}
		Parameters struct{ Clip float64 }
	}
	err := json.Unmarshal(text, &s)
	return func(c lossCase) (lossResult, error) {
		o, ok := valueObjectives[c.Name]
		if !ok || c.Reduction != "" {
			return lossResult{}, fmt.Errorf("value loss %q with reduction %q is not known", c.Name, c.Reduction)
		}
		o.Range = s.Parameters.Clip
		in := s.Inputs
		r := lossResult{gradient: make([]float64, len(in.V))}
		scale := o.Factor() * TokenMean.TokenScales([]int{TokenSequence[float64]{Mask: in.Mask}.counted(len(in.V))})[0]
		for i, v := range in.V {
			if in.Mask[i] {
				loss, grad, _ := o.SquaredError(v, in.Vold[i], in.G[i])
				r.loss += scale * loss
				r.gradient[i] = scale * grad
			}
		}
		return r, nil
	}, err
}
