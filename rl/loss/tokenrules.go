package loss

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// A Token is what a token loss knows about one sampled token.
type Token struct {
	Logprob   float64 // under the policy that is trained: what gradients are with respect to
	Old       float64 // log-probability under the policy that sampled the token
	Reference float64 // log-probability under the frozen reference
	Advantage float64
}

// Token returns the loss of one token and its derivative with respect to the token's log-probability. For [GSPO] that is a
// sequence of one token; longer ones need [NewTokenBatch].
func (o TokenObjective) Token(t Token) Surrogate {
	s := tokenRules[o.Loss].loss(o, t)
	s.Ratio = math.Exp(t.Logprob - t.Old)
	return s
}

// A tokenRule is a loss together with what it has to be given.
type tokenRule struct {
	loss                      func(TokenObjective, Token) Surrogate // all but the ratio
	old, reference, advantage bool                                  // the loss needs these
	clips                     bool
}

var tokenRules = map[LossName]tokenRule{
	ImportanceSampling: {loss: importanceSampling, old: true, advantage: true},
	PPO:                {loss: ppoToken, old: true, advantage: true, clips: true},
	PPOTwoSided:        {loss: ppoTwoSided, old: true, advantage: true, clips: true},
	ClipOnly:           {loss: clipOnly, old: true, advantage: true, clips: true},
	CISPO:              {loss: cispo, old: true, advantage: true, clips: true},
	REINFORCE:          {loss: reinforce, advantage: true},
	GRPO:               {loss: grpo, old: true, reference: true, advantage: true, clips: true},
	GSPO:               {loss: ppoToken, old: true, advantage: true, clips: true},
	K1:                 {loss: divergence(KL1), reference: true},
	K2:                 {loss: divergence(KL2), reference: true},
	K3:                 {loss: divergence(KL3), reference: true},
}

func lossNames() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(tokenRules)) {
		names = append(names, string(name))
	}
	return strings.Join(names, ", ")
}

// Below, ρ = exp(log π − log π_old), clip(ρ) holds it in the clip range, and A is the advantage; dρ/d log π = ρ.

// importanceSampling is −ρ·A.
func importanceSampling(_ TokenObjective, t Token) Surrogate {
	loss := -math.Exp(t.Logprob-t.Old) * t.Advantage
	return Surrogate{Loss: loss, Grad: loss}
}

// ppoToken is −min(ρ·A, clip(ρ)·A).
func ppoToken(o TokenObjective, t Token) Surrogate {
	return o.Clip.Surrogate(t.Logprob, t.Old, t.Advantage)
}

// ppoTwoSided is −max(min(ρ·A, clip(ρ)·A), Bound·A) for A < 0. It differs from PPO only where a negative advantage meets a ratio above the bound: for positive ones the clip range
// ends below the bound.
func ppoTwoSided(o TokenObjective, t Token) Surrogate {
	s := o.Clip.Surrogate(t.Logprob, t.Old, t.Advantage)
	if t.Advantage >= 0 || s.Ratio <= o.Bound {
		return s
	}
	return Surrogate{Loss: -o.Bound * t.Advantage, Clipped: true}
}

// clipOnly is −clip(ρ)·A: outside of the range a token has no gradient, whatever the sign of its advantage.
func clipOnly(o TokenObjective, t Token) Surrogate {
	ratio := math.Exp(t.Logprob - t.Old)
	held := o.Clip.hold(ratio)
	s := Surrogate{Loss: -held * t.Advantage, Clipped: held != ratio}
	if !s.Clipped {
		s.Grad = s.Loss
	}
	return s
}

// cispo is −clip(ρ)·A·log π with clip(ρ) as a constant: tokens outside of the range keep a gradient, of bounded weight.
func cispo(o TokenObjective, t Token) Surrogate {
	ratio := math.Exp(t.Logprob - t.Old)
	weight := o.Clip.hold(ratio)
	return Surrogate{Loss: -weight * t.Advantage * t.Logprob, Grad: -weight * t.Advantage, Clipped: weight != ratio}
}

// reinforce is −A·log π.
func reinforce(_ TokenObjective, t Token) Surrogate {
	return Surrogate{Loss: -t.Advantage * t.Logprob, Grad: -t.Advantage}
}

// grpo is PPO's loss and KLCoef·(r − 1 − log r) with r = π_reference/π, which keeps the policy near the reference.
func grpo(o TokenObjective, t Token) Surrogate {
	s := o.Clip.Surrogate(t.Logprob, t.Old, t.Advantage)
	kl, grad := KL3(t.Logprob, t.Reference)
	s.Loss += o.KLCoef * kl
	s.Grad += o.KLCoef * grad
	return s
}

// divergence is an estimate of KL(π‖π_reference) as a loss of its own.
func divergence(estimate func(logprob, reference float64) (kl, grad float64)) func(TokenObjective, Token) Surrogate {
	return func(_ TokenObjective, t Token) Surrogate {
		kl, grad := estimate(t.Logprob, t.Reference)
		return Surrogate{Loss: kl, Grad: grad}
	}
}
