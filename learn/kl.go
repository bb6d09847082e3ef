package learn

import "math"

// KLTokens returns the estimate of the KL divergence from the policy to the reference at every sampled token (MAGRPO §2.5):
// exp(d) − d − 1 with d = log π_ref − log π, which is never negative and zero for equal models. Its sum over a completion is
// the completion's KL; it is computed once at rollout and carries no gradient.
func KLTokens[F float32 | float64](policy, reference []F) []float64 {
	kl := make([]float64, len(policy))
	for t := range kl {
		d := float64(reference[t]) - float64(policy[t])
		kl[t] = math.Expm1(d) - d
	}
	return kl
}

// PenalisedReturn returns ret − coef·kl. In cross mode ret is the mean credit of the sample, so that the penalty stays on
// the scale of the credit.
func PenalisedReturn(ret, kl, coef float64) float64 { return ret - coef*kl }
