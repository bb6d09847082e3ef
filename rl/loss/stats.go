// Package loss turns credited samples into gradients: it holds the losses of parley's algorithms, as pure functions and as
// [engine.Loss] values that an engine trains with.
//
// Every loss here is a function of the log-probabilities of sampled tokens (and, for critics, of values). The pure functions
// work on slices of numbers and are what the test vectors of the papers check; the builders prepare everything that a loss
// needs to know about a minibatch beforehand (advantages, token counts, old log-probabilities), so that the engine may
// hand over outputs in as many pieces as it likes: a gradient does not depend on how a minibatch was split.
//
// MAGRPO and relatives (arXiv 2508.04652):
//
//	batch, err := loss.NewGroupBatch(samples, objective)    // node samples of one minibatch of one agent
//	err = eng.ForwardBackward(ctx, data, batch.Gradient)     // data: the completions of all samples, in order
//	stats := batch.Stats()                                   // loss and ratios, for the log
//
// [Buffer] and [Minibatches] decide when node samples are trained on and which of them share an optimizer step, [KLTokens]
// penalises distance from a reference, [MADPO] learns from pairs of joint responses, [SharedValueLoss] trains the critics
// of the actor-critic relatives.
//
// MAPoRL (PPO with a value head and a verifier): the clipped surrogate, the clipped value loss, the binary cross-entropy of
// verifiers and the schedules that say which agents and turns are trained when, with which learning rate.
//
// The losses of the field, for comparison and for custom recipes: [TokenObjective] names the losses of sampled tokens (PPO and
// its clips, importance sampling, CISPO, REINFORCE, GRPO, GSPO, estimates of KL) and the ways to add them up, and
// [NewTokenBatch] makes an engine's loss of them; [DPO] and [IPO] learn from pairs.
//
// [Mass] is what each role gives to an optimizer step (mass.go), [MassMeans] what that says of a run (mass_history.go).
//
// Losses are to be minimised. Gradients are with respect to log-probabilities or values, never with respect to parameters:
// those are the engine's business. A loss that is not finite is an error that wraps [engine.ErrNotFinite] and names the
// sample; it is never replaced by a number.
package loss

import "math"

// PolicyStats describes how far a policy has moved from the one that sampled, over the tokens of a batch. Means are over
// tokens, all weighted equally; Loss is the loss that was minimised.
type PolicyStats struct {
	Loss         float64 `json:"loss"`
	Tokens       int     `json:"tokens"`
	ClipFraction float64 `json:"clip_fraction"` // share of tokens whose clipped term is strictly larger
	RatioMean    float64 `json:"ratio_mean"`
	RatioMin     float64 `json:"ratio_min"`
	RatioMax     float64 `json:"ratio_max"`
	KL           float64 `json:"kl"`       // mean of ρ − 1 − log ρ: estimates KL(old‖new), never negative
	Surprise     float64 `json:"surprise"` // mean of −log π_old of the sampled tokens: estimates the entropy of the sampling policy
	Drift        float64 `json:"drift"`    // mean of log π_old − log π_new: the same KL, unbiased too, of either sign
}

// add counts one token. Until means is called, the means are sums.
func (p *PolicyStats) add(s Surrogate, logp, old, scale float64) {
	if p.Tokens == 0 {
		p.RatioMin, p.RatioMax = s.Ratio, s.Ratio
	}
	p.Tokens++
	p.Loss += scale * s.Loss
	if s.Clipped {
		p.ClipFraction++
	}
	p.RatioMean += s.Ratio
	p.RatioMin, p.RatioMax = math.Min(p.RatioMin, s.Ratio), math.Max(p.RatioMax, s.Ratio)
	p.KL += s.Ratio - 1 - (logp - old)
	p.Surprise -= old
	p.Drift += old - logp
}

// merge adds the sums of other tokens.
func (p *PolicyStats) merge(q PolicyStats) {
	if q.Tokens == 0 {
		return
	}
	if p.Tokens == 0 {
		*p = q
		return
	}
	p.Loss += q.Loss
	p.Tokens += q.Tokens
	p.ClipFraction += q.ClipFraction
	p.RatioMean += q.RatioMean
	p.RatioMin, p.RatioMax = math.Min(p.RatioMin, q.RatioMin), math.Max(p.RatioMax, q.RatioMax)
	p.KL += q.KL
	p.Surprise += q.Surprise
	p.Drift += q.Drift
}

// means turns the sums into means over tokens.
func (p PolicyStats) means() PolicyStats {
	n := float64(max(p.Tokens, 1))
	p.ClipFraction /= n
	p.RatioMean /= n
	p.KL /= n
	p.Surprise /= n
	p.Drift /= n
	return p
}

// ValueStats describes a critic over the positions of a batch.
type ValueStats struct {
	Loss         float64 `json:"loss"` // that was minimised, its weight included
	Positions    int     `json:"positions"`
	ClipFraction float64 `json:"clip_fraction"` // share of positions whose clipped error is strictly larger
	Error        float64 `json:"error"`         // mean of (V − G)², not clipped
	ValueMean    float64 `json:"value_mean"`
	ReturnMean   float64 `json:"return_mean"`
	// Explained is 1 − var(G − V)/var(G): 1 for a perfect critic, 0 for one that knows the mean only; 0 where returns do not vary.
	Explained float64 `json:"explained"`
}

// valueSums are the sums that ValueStats is made of.
type valueSums struct {
	loss                             float64
	positions, clipped               int
	values, returns, squared, errors float64 // of V, G, G², (V−G)²
}

func (s *valueSums) merge(t valueSums) {
	s.loss += t.loss
	s.positions += t.positions
	s.clipped += t.clipped
	s.values += t.values
	s.returns += t.returns
	s.squared += t.squared
	s.errors += t.errors
}

func (s valueSums) stats() ValueStats {
	n := float64(max(s.positions, 1))
	v := ValueStats{
		Loss: s.loss, Positions: s.positions, ClipFraction: float64(s.clipped) / n, Error: s.errors / n,
		ValueMean: s.values / n, ReturnMean: s.returns / n,
	}
	// var(G − V) is the mean of (G − V)² less the square of the mean of G − V.
	bias := v.ReturnMean - v.ValueMean
	if variance := s.squared/n - v.ReturnMean*v.ReturnMean; variance > 1e-12*s.squared/n {
		v.Explained = 1 - (v.Error-bias*bias)/variance
	}
	return v
}
