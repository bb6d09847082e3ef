package loss

import "math"

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

// KLTokens returns [KL3] at every sampled token (MAGRPO §2.5). Its sum over a completion is the completion's KL; it is
// computed once at rollout and carries no gradient.
func KLTokens[F float32 | float64](policy, reference []F) []float64 {
	kl := make([]float64, len(policy))
	for t := range kl {
		kl[t], _ = KL3(float64(policy[t]), float64(reference[t]))
	}
	return kl
}

// PenalisedReturn returns ret − coef·kl. In cross mode ret is the mean credit of the sample, so that the penalty stays on
// the scale of the credit.
func PenalisedReturn(ret, kl, coef float64) float64 { return ret - coef*kl }
