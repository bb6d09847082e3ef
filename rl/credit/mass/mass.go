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
//	mass.go     one step, and the mean of several
//	history.go  what is said of a run: dominance, capture, starved, spike
//	json.go     how steps are written: numbers that are not defined are null
package mass

import (
	"maps"
	"math"
	"slices"
)

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

// Mean is that of some steps: of a role's numbers over the steps in which it spoke, and of what is not defined in all of them over those
// in which it is. Roles are in the order in which they appeared.
func Mean(steps []Step) Step {
	out := Step{Norm: mean(steps, func(s Step) float64 { return s.Norm }), Cancel: mean(steps, func(s Step) float64 { return s.Cancel })}
	for _, name := range roles(steps) {
		var parts []Part
		for _, s := range steps {
			if p, ok := s.part(name); ok {
				parts = append(parts, p)
			}
		}
		out.Parts = append(out.Parts, Part{
			Name: name, Norm: mean(parts, func(p Part) float64 { return p.Norm }), Mass: mean(parts, func(p Part) float64 { return p.Mass }),
			Share: mean(parts, func(p Part) float64 { return p.Share }), Cos: mean(parts, func(p Part) float64 { return p.Cos }),
		})
	}
	return out
}

// mean is that of a number where it is defined.
func mean[T any](all []T, of func(T) float64) float64 {
	sum, n := 0.0, 0.0
	for _, x := range all {
		if v := of(x); !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return ratio(sum, n)
}

// A Message is what a loss says of one of a role.
type Message struct {
	Role             string
	Tokens           int
	Scale, Advantage float64 // factor of a token in the loss, and what it is multiplied by
}

// OfLoss is the share of every role in Σ tokens·|factor·A|, and that sum. Where it is 0 all shares are.
func OfLoss(messages []Message) (shares map[string]float64, total float64) {
	sums := map[string]float64{}
	for _, m := range messages {
		sums[m.Role] += float64(m.Tokens) * m.Scale * math.Abs(m.Advantage)
	}
	return Shares(sums)
}

// Shares are those of every role in the sum of what is theirs, and that sum. Where it is 0 all shares are.
func Shares(sums map[string]float64) (shares map[string]float64, total float64) {
	names := slices.Sorted(maps.Keys(sums)) // so that the sum does not depend on the order of the map
	for _, r := range names {
		total += sums[r]
	}
	shares = map[string]float64{}
	for _, r := range names {
		shares[r] = 0
		if total > 0 {
			shares[r] = sums[r] / total
		}
	}
	return shares, total
}
