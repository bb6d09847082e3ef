package loss

import "encoding/json"

// policySection holds the inputs of token losses, all sequences one after the other.
type policySection struct {
	Inputs struct {
		Bounds    []int     `json:"cu_seqlens"`
		Logprob   []float64 `json:"logprob"`
		Old       []float64 `json:"old_logprob"`
		Reference []float64 `json:"ref_logprob"`
		Advantage []float64 `json:"advantage"`
		Sequence  []float64 `json:"advantage_seq"`
		Mask      flags     `json:"mask"`
	}
	Parameters struct {
		Low        float64 `json:"clip_low"`
		High       float64 `json:"clip_high_symmetric"`
		HigherHigh float64 `json:"clip_high_asymmetric"`
		Bound      float64 `json:"two_sided_delta"`
		KLCoef     float64 `json:"kl_coefficient"`
	}
}

func policyGoldens(text []byte) (func(lossCase) (lossResult, error), error) {
	var s policySection
	err := json.Unmarshal(text, &s)
	return s.compute, err
}

func (s policySection) compute(c lossCase) (lossResult, error) {
	o := s.objective(LossName(c.Name), Reduction(c.Reduction))
	sequences := s.sequences(o.Loss == GRPO || o.Loss == GSPO || c.Name == "reinforce_seq_advantage")
	loss, grads, err := wholeLoss(o, sequences)
	r := lossResult{loss: loss}
	tokens := 0
	for i, g := range grads {
		r.gradient = append(r.gradient, g...)
		tokens += sequences[i].counted(len(g))
		for _, term := range sequenceTerms(o, sequences[i]) {
			r.clipFraction += float64(count(term.Clipped))
		}
	}
	r.clipFraction /= float64(tokens)
	return r, err
}

// objective says which of the parameters a loss of losses.json has; its formula there names them.
func (s policySection) objective(name LossName, r Reduction) TokenObjective {
	p := s.Parameters
	o := TokenObjective{Loss: name, Reduction: r, Clip: Clip{Low: p.Low, High: p.High}, Bound: p.Bound, KLCoef: p.KLCoef}
	switch name {
	case "ppo_asymmetric":
		o.Loss, o.Clip.High = PPO, p.HigherHigh
	case CISPO, GSPO:
		o.Clip.High = p.HigherHigh
	case "reinforce_seq_advantage":
		o.Loss = REINFORCE
	}
	return o
}

func (s policySection) sequences(oneAdvantage bool) []TokenSequence[float64] {
	in := s.Inputs
	var sequences []TokenSequence[float64]
	for k, to := range in.Bounds[1:] {
		from := in.Bounds[k]
		q := TokenSequence[float64]{
			Logprobs: in.Logprob[from:to], Old: in.Old[from:to], Reference: in.Reference[from:to],
			Advantages: in.Advantage[from:to], Mask: in.Mask[from:to],
		}
		if oneAdvantage {
			q.Advantages = in.Sequence[from : from+1]
		}
		sequences = append(sequences, q)
	}
	return sequences
}
