// Package mass measures what each role gives to an optimizer step. Where several roles share a policy, the role with the greatest share of the
// gradient can take it over (arXiv 2605.24202 reports "asymmetric per-step gradient mass"; the definitions are parley's).
//
// With g_k the gradient of the step's loss from the messages of role k, before clipping, and g = Σ g_k:
//
//	mass_k  = ‖g_k‖ / Σ‖g_j‖
//	share_k = ⟨g_k, g⟩ / ‖g‖²                  sums to 1, may be negative
//	cos_k   = ⟨g_k, g⟩ / (‖g_k‖·‖g‖)
//	cancel  = ‖g‖ / Σ‖g_j‖                     1: all pull one way; 0: they cancel
//
// A proxy needs no gradient, only the loss: tokens·|factor·A|, summed by role ([OfLoss]).
//
//	mass.go     one step
//	history.go  what is said of a run: dominance, capture, starved, spike
package mass

import "math"

// A Role of a step with its gradient.
type Role struct {
	Name     string
	Gradient []float64
}

// A Part is what one role gave to a step. Undefined numbers are NaN: the direction of a zero gradient.
type Part struct {
	Name       string
	Norm, Mass float64
	Share, Cos float64
}

// A Step is the parts of all roles that spoke.
type Step struct {
	Parts  []Part
	Norm   float64 // ‖g‖
	Cancel float64 // NaN where all gradients are zero
}

// Of measures a step.
func Of(roles []Role) Step {
	var whole []float64
	norms := 0.0
	for _, r := range roles {
		for len(whole) < len(r.Gradient) {
			whole = append(whole, 0)
		}
		for i, x := range r.Gradient {
			whole[i] += x
		}
		norms += norm(r.Gradient)
	}
	s := Step{Norm: norm(whole)}
	s.Cancel = ratio(s.Norm, norms)
	for _, r := range roles {
		p := Part{Name: r.Name, Norm: norm(r.Gradient)}
		if norms > 0 {
			p.Mass = p.Norm / norms
		}
		along := dot(r.Gradient, whole)
		p.Share, p.Cos = ratio(along, s.Norm*s.Norm), ratio(along, p.Norm*s.Norm)
		s.Parts = append(s.Parts, p)
	}
	return s
}

// ratio is a/b, or NaN where b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func norm(x []float64) float64 { return math.Sqrt(dot(x, x)) }

// A Message is what a loss says of one of a role.
type Message struct {
	Role             string
	Tokens           int
	Scale, Advantage float64 // factor of a token in the loss, and what it is multiplied by
}

// OfLoss is the share of every role in Σ tokens·|factor·A|, and that sum. Where it is 0 all shares are.
func OfLoss(messages []Message) (shares map[string]float64, total float64) {
	shares = map[string]float64{}
	for _, m := range messages {
		x := float64(m.Tokens) * m.Scale * math.Abs(m.Advantage)
		shares[m.Role] += x
		total += x
	}
	if total > 0 {
		for r := range shares {
			shares[r] /= total
		}
	}
	return shares, total
}
