package loss

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
)

// preferenceSection holds pairs of sequences, winner first.
type preferenceSection struct {
	Inputs struct {
		Bounds    []int `json:"cu_seqlens"`
		Pairs     [][2]int
		Logprob   []float64 `json:"logprob"`
		Reference []float64 `json:"ref_logprob"`
		Mask      flags
	}
	Parameters struct{ Beta float64 }
}

func preferenceGoldens(text []byte) (func(lossCase) (lossResult, error), error) {
	var s preferenceSection
	err := json.Unmarshal(text, &s)
	return s.compute, err
}

func (s preferenceSection) compute(c lossCase) (lossResult, error) {
	loss, err := s.pairLoss(c)
	if err != nil {
		return lossResult{}, err
	}
	r := lossResult{gradient: make([]float64, len(s.Inputs.Logprob))}
	scale := 1 / float64(len(s.Inputs.Pairs))
	for _, pair := range s.Inputs.Pairs {
		p, weights := s.pair(pair, c.Name == "ipo")
		if c.Name == "dpo_no_reference" {
			p.ReferenceWinner, p.ReferenceLoser = 0, 0
		}
		l, grad := loss(p)
		r.loss += scale * l
		s.spread(r.gradient, pair[0], scale*grad*weights[0])
		s.spread(r.gradient, pair[1], -scale*grad*weights[1])
	}
	return r, nil
}

// smoothingInFormula finds the share of wrong labels: the file names it in the formula only.
var smoothingInFormula = regexp.MustCompile(`-\(1-([0-9.]+)\) log sigmoid\(.*\) - ([0-9.]+) log sigmoid`)

func (s preferenceSection) pairLoss(c lossCase) (func(JointPreference) (loss, grad float64), error) {
	if c.Reduction != "" {
		return nil, fmt.Errorf("preference losses have no reduction %q", c.Reduction)
	}
	beta, smoothing := s.Parameters.Beta, 0.0
	switch c.Name {
	case "dpo", "dpo_no_reference":
	case "ipo":
		return func(p JointPreference) (loss, grad float64) { return IPO(p, beta) }, nil
	case "dpo_label_smoothing":
		found := smoothingInFormula.FindStringSubmatch(c.Formula)
		if found == nil || found[1] != found[2] {
			return nil, fmt.Errorf("formula %q names no share of wrong labels", c.Formula)
		}
		var err error
		if smoothing, err = strconv.ParseFloat(found[1], 64); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("preference loss %q is not known", c.Name)
	}
	return func(p JointPreference) (loss, grad float64) { return DPO(p, beta, smoothing) }, nil
}

// pair returns the log-probabilities of two sequences, sums or means over the tokens that count, and the weights that tokens
// have in them.
func (s preferenceSection) pair(pair [2]int, means bool) (p JointPreference, weights [2]float64) {
	var sums, references [2]float64
	for side, k := range pair {
		n := 0
		for i := s.Inputs.Bounds[k]; i < s.Inputs.Bounds[k+1]; i++ {
			if s.Inputs.Mask[i] {
				n++
				sums[side] += s.Inputs.Logprob[i]
				references[side] += s.Inputs.Reference[i]
			}
		}
		weights[side] = 1
		if means {
			weights[side] = 1 / float64(n)
		}
	}
	return JointPreference{
		Winner: sums[0] * weights[0], Loser: sums[1] * weights[1],
		ReferenceWinner: references[0] * weights[0], ReferenceLoser: references[1] * weights[1],
	}, weights
}

// spread gives every token of sequence k that counts the same gradient. A sequence may be in several pairs.
func (s preferenceSection) spread(gradient []float64, k int, grad float64) {
	for i := s.Inputs.Bounds[k]; i < s.Inputs.Bounds[k+1]; i++ {
		if s.Inputs.Mask[i] {
			gradient[i] += grad
		}
	}
}
