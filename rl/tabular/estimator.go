package tabular

import (
	"context"
	"math"
)

// An Estimate compares the gradient that groups give with the true one, at uniform policies and with a joint reward.
type Estimate struct {
	Scale    float64 `json:"scale"`    // mean estimate along the true gradient, as a share of it: (G−1)/G with mean, 1 with rloo
	Error    float64 `json:"error"`    // standard error of Scale
	Variance float64 `json:"variance"` // of the estimate, summed over logits
}

// Estimate draws so many groups.
func (g Game) Estimate(ctx context.Context, s Settings, groups int) (Estimate, error) {
	s.Individual = false
	p, err := newPair(g, s)
	if err != nil {
		return Estimate{}, err
	}
	truth := g.gradient()
	length := 0.0
	for _, x := range truth {
		length += x * x
	}
	sum, squares, along, alongSquares := make([]float64, len(truth)), 0.0, 0.0, 0.0
	for k := range groups {
		if err := ctx.Err(); err != nil {
			return Estimate{}, err
		}
		if err := p.accumulate(ctx, k); err != nil {
			return Estimate{}, err
		}
		var estimate []float64
		for _, e := range p.engines {
			grad, err := e.Gradient(policy)
			if err != nil {
				return Estimate{}, err
			}
			estimate = append(estimate, grad...)
		}
		share := 0.0
		for i, x := range estimate {
			x = -x // losses are minimised
			sum[i] += x
			squares += x * x
			share += x * truth[i] / length
		}
		along += share
		alongSquares += share * share
	}
	n := float64(groups)
	out := Estimate{Scale: along / n, Variance: squares / n}
	for _, x := range sum {
		out.Variance -= x / n * x / n
	}
	out.Error = math.Sqrt(max(0, alongSquares/n-out.Scale*out.Scale) / n)
	return out, nil
}

// gradient is that of the expected joint reward with respect to the logits of both players, at uniform policies.
func (g Game) gradient() []float64 {
	rows, columns := g.actions(0), g.actions(1)
	value := 0.0
	first, second := make([]float64, rows), make([]float64, columns)
	for a := range rows {
		for b := range columns {
			x := g.common(a, b)
			value += x / float64(rows*columns)
			first[a] += x / float64(columns)
			second[b] += x / float64(rows)
		}
	}
	var out []float64
	for _, q := range first {
		out = append(out, (q-value)/float64(rows))
	}
	for _, q := range second {
		out = append(out, (q-value)/float64(columns))
	}
	return out
}
