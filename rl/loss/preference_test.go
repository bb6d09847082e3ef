package loss

import (
	"math"
	"testing"

	"parley/engine/enginetest"

	"pgregory.net/rapid"
)

func drawPreference(t *rapid.T) JointPreference {
	draw := func(name string) float64 { return rapid.Float64Range(-9, 0).Draw(t, name) }
	return JointPreference{Winner: draw("winner"), Loser: draw("loser"), ReferenceWinner: draw("ref winner"), ReferenceLoser: draw("ref loser")}
}

// Both derivatives are slopes of the loss, and the loser's is the negative of the winner's.
func TestPreferenceGradients(t *testing.T) {
	const h = 1e-5
	rapid.Check(t, func(t *rapid.T) {
		p, beta := drawPreference(t), rapid.Float64Range(0.05, 1).Draw(t, "beta")
		smoothing := rapid.Float64Range(0, 0.5).Draw(t, "smoothing")
		for name, loss := range map[string]func(JointPreference) (float64, float64){
			"dpo": func(p JointPreference) (float64, float64) { return DPO(p, beta, smoothing) },
			"ipo": func(p JointPreference) (float64, float64) { return IPO(p, beta) },
		} {
			_, grad := loss(p)
			slope := func(move func(p *JointPreference, d float64)) float64 {
				up, down := p, p
				move(&up, h)
				move(&down, -h)
				above, _ := loss(up)
				below, _ := loss(down)
				return (above - below) / (2 * h)
			}
			winner := slope(func(p *JointPreference, d float64) { p.Winner += d })
			loser := slope(func(p *JointPreference, d float64) { p.Loser += d })
			if math.Abs(winner-grad) > 1e-6*(1+math.Abs(grad)) || math.Abs(loser+grad) > 1e-6*(1+math.Abs(grad)) {
				t.Fatalf("%s: gradient %v, finite differences %v and %v", name, grad, winner, loser)
			}
		}
	})
}

// DPO without smoothing is MADPO of one agent; with every second label wrong it cannot prefer: its minimum is at d = 0.
// IPO's is at d = 1/(2β).
func TestPreferenceMinima(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, beta := drawPreference(t), rapid.Float64Range(0.05, 1).Draw(t, "beta")
		loss, grad := DPO(p, beta, 0)
		if want, wantGrad := MADPO([]JointPreference{p}, beta); loss != want || grad != wantGrad {
			t.Fatalf("%v %v, want %v %v", loss, grad, want, wantGrad)
		}
		p.ReferenceWinner, p.ReferenceLoser, p.Loser = 0, 0, p.Winner
		if loss, grad := DPO(p, beta, 0.5); math.Abs(loss-math.Ln2) > 1e-12 || math.Abs(grad) > 1e-12 {
			t.Fatalf("loss %v and gradient %v without preference", loss, grad)
		}
		p.Winner = p.Loser + 1/(2*beta)
		if loss, grad := IPO(p, beta); loss > 1e-18 || math.Abs(grad) > 1e-9 {
			t.Fatalf("IPO's loss %v and gradient %v at its minimum", loss, grad)
		}
	})
}

// The smaller the differences between two models, the closer all estimates of their divergence: K2 and K3 agree to second
// order, and each derivative is the estimate's slope.
func TestDivergences(t *testing.T) {
	const h = 1e-6
	rapid.Check(t, func(t *rapid.T) {
		reference, d := rapid.Float64Range(-3, 0).Draw(t, "reference"), rapid.Float64Range(-1e-3, 1e-3).Draw(t, "d")
		squared, _ := KL2(reference+d, reference)
		exact, _ := KL3(reference+d, reference)
		if math.Abs(squared-exact) > math.Abs(d*d*d)+1e-15 {
			t.Fatalf("k2 %v, k3 %v", squared, exact)
		}
		logprob := reference + 1000*d
		for _, estimate := range []func(logprob, reference float64) (float64, float64){KL1, KL2, KL3} {
			_, grad := estimate(logprob, reference)
			up, _ := estimate(logprob+h, reference)
			down, _ := estimate(logprob-h, reference)
			if math.Abs((up-down)/(2*h)-grad) > 1e-7 {
				t.Fatalf("gradient %v, finite difference %v", grad, (up-down)/(2*h))
			}
		}
	})
}

// Over all tokens of a distribution k1 and k3 average to the divergence itself, and k2's gradient to the divergence's. As a penalty on returns, of which
// the score function is all that is learned, k1 has the divergence's gradient; k3 has the gradient of the reference's mean log-probability besides.
func TestDivergencesAverageToTheDivergence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) []float64 {
			logits := rapid.SliceOfN(rapid.Float64Range(-2, 2), 5, 5).Draw(t, label)
			return enginetest.FilteredLogprobs(logits, nil, enginetest.Filters{})
		}
		p, q := draw("policy"), draw("reference")
		var kl, k1, k3, score, slope, paid1, paid3 float64
		for i := range p {
			mass := math.Exp(p[i])
			kl += mass * (p[i] - q[i])
			one, _ := KL1(p[i], q[i])
			three, _ := KL3(p[i], q[i])
			_, grad := KL2(p[i], q[i])
			k1 += mass * one
			k3 += mass * three
			// The derivative of log p_i with respect to logit 0 is 1[i=0] − p_0; that of the divergence is
			// p_0·(log p_0/q_0 − KL).
			down := -math.Exp(p[0])
			if i == 0 {
				down++
			}
			score += mass * grad * down
			paid1 += mass * one * down
			paid3 += mass * three * down
		}
		slope = math.Exp(p[0]) * (p[0] - q[0] - kl)
		if math.Abs(k1-kl) > 1e-12 || math.Abs(k3-kl) > 1e-12 || math.Abs(score-slope) > 1e-12 {
			t.Fatalf("divergence %v: k1 %v, k3 %v; slope %v: k2 %v", kl, k1, k3, slope, score)
		}
		if besides := math.Exp(q[0]) - math.Exp(p[0]); math.Abs(paid1-slope) > 1e-12 || math.Abs(paid3-slope-besides) > 1e-12 {
			t.Fatalf("slope %v: paid by k1 %v, by k3 %v, of which %v besides", slope, paid1, paid3, besides)
		}
	})
}
