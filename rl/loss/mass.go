package loss

import (
	"maps"
	"math"
	"slices"
)

// A RoleGradient of a step with its gradient.
type RoleGradient struct {
	Name     string
	Gradient []float64
}

// A MassPart is what one role gave to a step. Undefined numbers are NaN: the direction of a zero gradient.
type MassPart struct {
	Name       string
	Norm, Mass float64
	Share, Cos float64
}

// A Mass is the parts of all roles that spoke.
//
// It is what each role gives to the step. Where several roles share a policy, the role with the greatest share of the
// gradient can take it over (arXiv 2605.24202 reports "asymmetric per-step gradient mass"; the definitions are parley's).
//
// With g_k the gradient of the step's loss from the messages of role k, before clipping, and g = Σ g_k:
//
//	mass_k  = ‖g_k‖ / Σ‖g_j‖
//	share_k = ⟨g_k, g⟩ / ‖g‖²                  sums to 1, may be negative
//	cos_k   = ⟨g_k, g⟩ / (‖g_k‖·‖g‖)
//	cancel  = ‖g‖ / Σ‖g_j‖                     1: all pull one way; 0: they cancel
//
// A proxy needs no gradient, only the loss: tokens·|factor·A|, summed by role ([MassOfLoss]).
type Mass struct {
	Parts  []MassPart
	Norm   float64 // ‖g‖
	Cancel float64 // NaN where all gradients are zero
}

// MassOf measures a step.
func MassOf(roles []RoleGradient) Mass {
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
	s := Mass{Norm: norm(whole)}
	s.Cancel = massRatio(s.Norm, norms)
	for _, r := range roles {
		p := MassPart{Name: r.Name, Norm: norm(r.Gradient)}
		if norms > 0 {
			p.Mass = p.Norm / norms
		}
		along := massDot(r.Gradient, whole)
		p.Share, p.Cos = massRatio(along, s.Norm*s.Norm), massRatio(along, p.Norm*s.Norm)
		s.Parts = append(s.Parts, p)
	}
	return s
}

// massRatio is a/b, or NaN where b is 0.
func massRatio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

func massDot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func norm(x []float64) float64 { return math.Sqrt(massDot(x, x)) }

// MeanMass is that of some steps: of a role's numbers over the steps in which it spoke, and of what is not defined in all of them over those
// in which it is. Roles are in the order in which they appeared.
func MeanMass(steps []Mass) Mass {
	out := Mass{Norm: massMean(steps, func(s Mass) float64 { return s.Norm }), Cancel: massMean(steps, func(s Mass) float64 { return s.Cancel })}
	for _, name := range massRoles(steps) {
		var parts []MassPart
		for _, s := range steps {
			if p, ok := s.part(name); ok {
				parts = append(parts, p)
			}
		}
		out.Parts = append(out.Parts, MassPart{
			Name: name, Norm: massMean(parts, func(p MassPart) float64 { return p.Norm }), Mass: massMean(parts, func(p MassPart) float64 { return p.Mass }),
			Share: massMean(parts, func(p MassPart) float64 { return p.Share }), Cos: massMean(parts, func(p MassPart) float64 { return p.Cos }),
		})
	}
	return out
}

// massMean is that of a number where it is defined.
func massMean[T any](all []T, of func(T) float64) float64 {
	sum, n := 0.0, 0.0
	for _, x := range all {
		if v := of(x); !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return massRatio(sum, n)
}

// A MassMessage is what a loss says of one of a role.
type MassMessage struct {
	Role             string
	Tokens           int
	Scale, Advantage float64 // factor of a token in the loss, and what it is multiplied by
}

// MassOfLoss is the share of every role in Σ tokens·|factor·A|, and that sum. Where it is 0 all shares are.
func MassOfLoss(messages []MassMessage) (shares map[string]float64, total float64) {
	sums := map[string]float64{}
	for _, m := range messages {
		sums[m.Role] += float64(m.Tokens) * m.Scale * math.Abs(m.Advantage)
	}
	return MassShares(sums)
}

// MassShares are those of every role in the sum of what is theirs, and that sum. Where it is 0 all shares are.
func MassShares(sums map[string]float64) (shares map[string]float64, total float64) {
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
