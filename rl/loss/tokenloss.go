package loss

import (
	"fmt"
	"math"
)

// A LossName names a loss of sampled tokens as the field does. Below, lp, old and ref are the log-probabilities of a token
// under the policy that is trained, the policy that sampled it and the frozen reference; ρ = exp(lp − old) is its ratio, A its
// advantage, and clip(ρ) holds ρ in [1−Low, 1+High]. "Held" means: no gradient flows.
type LossName string

const (
	// ImportanceSampling is −ρA: the policy gradient of A, corrected for tokens that another policy sampled.
	ImportanceSampling LossName = "importance_sampling"
	// PPO is −min(ρA, clip(ρ)A) (Schulman et al., arXiv 1707.06347, Eq. 7). A High above Low is DAPO's clip-higher (arXiv
	// 2503.14476, §3.1).
	PPO LossName = "ppo"
	// PPOTwoSided is PPO with the ratio bounded where A < 0 too, where PPO leaves it free: −min(min(ρ, Bound)A, clip(ρ)A). It
	// is dual-clip PPO (Ye et al., arXiv 1912.09729).
	PPOTwoSided LossName = "ppo_two_sided"
	// ClipOnly is −clip(ρ)A: PPO without the minimum, held on either side whatever the sign of A.
	ClipOnly LossName = "clip_only"
	// CISPO is −clip(ρ)A·lp with clip(ρ) held constant: REINFORCE with clipped importance weights, in which every token keeps
	// its gradient (MiniMax-M1, arXiv 2506.13585, §3.1).
	CISPO LossName = "cispo"
	// REINFORCE is −A·lp (Williams 1992): its gradient is the policy gradient of tokens that the policy itself sampled.
	REINFORCE LossName = "reinforce"
	// GRPO is PPO plus KLCoef·K3 (DeepSeekMath, arXiv 2402.03300, Eq. 3 and 4); A is usually one of the whole sequence.
	GRPO LossName = "grpo"
	// GSPO is PPO with the ratio of the whole sequence, the geometric mean of its tokens' ratios, for each of its tokens (Zheng
	// et al., arXiv 2507.18071, Eq. 5 to 7). A is one of the whole sequence.
	GSPO LossName = "gspo"
	// K1 is lp − ref, a token's unbiased estimate of KL(policy‖reference) under the policy (Schulman, "Approximating KL
	// divergence", 2020). As a loss it teaches nothing: its gradient is 1 for every token, 0 on average.
	K1 LossName = "kl_k1"
	// K2 is (lp − ref)²/2: biased, but its gradient on average is that of the divergence.
	K2 LossName = "kl_k2"
	// K3 is exp(ref − lp) − (ref − lp) − 1: unbiased and never negative.
	K3 LossName = "kl_k3"
)

// A TokenObjective says what is made of the tokens of a batch of sequences: a loss of each, and one number of all of them.
type TokenObjective struct {
	Loss      LossName  `json:"loss"`
	Reduction Reduction `json:"reduction"`
	Clip      Clip      `json:"clip"`              // of PPO, PPOTwoSided, ClipOnly, CISPO, GRPO and GSPO
	Bound     float64   `json:"bound,omitempty"`   // of the ratio in PPOTwoSided, at least 1+Clip.High
	KLCoef    float64   `json:"kl_coef,omitempty"` // of the K3 term in GRPO
}

// Check returns an error for an unknown loss or reduction and for settings under which a loss is not the one it is named after.
func (o TokenObjective) Check() error {
	rule, ok := tokenRules[o.Loss]
	if !ok {
		return fmt.Errorf("token loss %q is not known: write one of %s", o.Loss, lossNames())
	}
	if err := o.Reduction.Check(); err != nil {
		return err
	}
	if rule.clips && !(o.Clip.Low >= 0 && o.Clip.High >= 0) {
		return fmt.Errorf("token loss %s: clip range 1-%v to 1+%v: write bounds that are not negative", o.Loss, o.Clip.Low, o.Clip.High)
	}
	if o.Loss == PPOTwoSided && !(o.Bound >= 1+o.Clip.High) {
		return fmt.Errorf("token loss %s: bound %v of the ratio lies below the clip range's end: write at least %v", o.Loss, o.Bound, 1+o.Clip.High)
	}
	return nil
}

// KL1 returns log π − log π_ref of a token, the plain estimate of KL(π‖π_ref) (Schulman 2020, k1), and its derivative with
// respect to log π.
func KL1(logprob, reference float64) (kl, grad float64) { return logprob - reference, 1 }

// KL2 returns half the square of [KL1] (k2), and its derivative.
func KL2(logprob, reference float64) (kl, grad float64) {
	d := logprob - reference
	return d * d / 2, d
}

// KL3 returns exp(d) − d − 1 with d = log π_ref − log π (k3), which is never negative and zero for equal models, and its
// derivative with respect to log π.
func KL3(logprob, reference float64) (kl, grad float64) {
	d := reference - logprob
	above := math.Expm1(d)
	return above - d, -above
}

// KLTokens returns an estimate at every sampled token: [KL1] by the form sampled, else [KL3] (MAGRPO §2.5). Its sum over a completion is the
// completion's KL; it is computed once at rollout and carries no gradient.
func KLTokens[F float32 | float64](form string, policy, reference []F) []float64 {
	estimate := KL3
	if form == "sampled" {
		estimate = KL1
	}
	kl := make([]float64, len(policy))
	for t := range kl {
		kl[t], _ = estimate(float64(policy[t]), float64(reference[t]))
	}
	return kl
}

// PenalisedReturn returns ret − coef·kl. In cross mode ret is the mean credit of the sample, so that the penalty stays on
// the scale of the credit.
func PenalisedReturn(ret, kl, coef float64) float64 { return ret - coef*kl }
