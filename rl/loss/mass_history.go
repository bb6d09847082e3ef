package loss

import (
	"math"
	"slices"
)

// MassLimits say when something is said of a run.
type MassLimits struct {
	Window    int     // updates that means are over
	Dominance float64 // mean mass of a role from which it dominates
	Against   float64 // mean cosine below which another role is pulled against its will
	Starved   float64 // mean mass up to which a role learns nothing
	Spike     float64 // factor over the median of a role's last norms
}

// UsualMass are the limits that parley warns at.
func UsualMass() MassLimits {
	return MassLimits{Window: 20, Dominance: 0.667, Against: 0.3, Starved: 0.02, Spike: 10}
}

// MassMeans are those of a role over the window: of its mass where it spoke, and of its cosine where that exists (otherwise NaN).
type MassMeans struct {
	Name      string
	Mass, Cos float64
}

// rounding: masses and cosines that ought to equal a limit may miss it.
const rounding = 1e-9

// fewestNorms are those of a role before a last one can be called a spike.
const fewestNorms = 5

// Means are taken over the last window of updates, of the roles in the order in which they appeared.
func (l MassLimits) Means(steps []Mass) []MassMeans {
	var out []MassMeans
	recent := steps[max(0, len(steps)-l.Window):]
	for _, name := range massRoles(steps) {
		m := MassMeans{Name: name}
		spoke, directed := 0.0, 0.0
		for _, s := range recent {
			if p, ok := s.part(name); ok {
				m.Mass, spoke = m.Mass+p.Mass, spoke+1
				if !math.IsNaN(p.Cos) {
					m.Cos, directed = m.Cos+p.Cos, directed+1
				}
			}
		}
		if spoke > 0 {
			m.Mass, m.Cos = m.Mass/spoke, massRatio(m.Cos, directed)
			out = append(out, m)
		}
	}
	return out
}

// Warnings are what is to be said after some steps, each as kind:role. dominance: one role of a shared policy gives most of the gradient; capture:
// and another is pulled against its will; starved: a role gives next to nothing; spike: a gradient is far longer than the role's last ones. Roles
// with policies of their own are expected to differ: of them only spikes are told.
func (l MassLimits) Warnings(steps []Mass, shared bool) []string {
	var out []string
	means := l.Means(steps)
	if shared && len(steps) >= l.Window && len(means) >= 2 {
		for i, m := range means {
			if m.Mass >= l.Dominance-rounding {
				out = append(out, l.dominant(means, i)+":"+m.Name)
			}
			if m.Mass <= l.Starved+rounding {
				out = append(out, "starved:"+m.Name)
			}
		}
	}
	if len(steps) == 0 {
		return out
	}
	for _, name := range massRoles(steps) {
		if l.spikes(steps, name) {
			out = append(out, "spike:"+name)
		}
	}
	return out
}

func (l MassLimits) dominant(means []MassMeans, who int) string {
	for j, m := range means {
		if j != who && m.Cos < l.Against-rounding { // NaN is not below
			return "capture"
		}
	}
	return "dominance"
}

// spikes says that the last norm of a role that spoke last is far above the median of those before.
func (l MassLimits) spikes(steps []Mass, name string) bool {
	jump, ok := l.Jump(steps, name)
	return ok && jump >= l.Spike*(1-rounding)
}

// Jump is the norm of a role's gradient in the last step as a multiple of the median of its last ones before; false: it did not speak there,
// or too rarely before.
func (l MassLimits) Jump(steps []Mass, name string) (factor float64, ok bool) {
	if len(steps) == 0 {
		return 0, false
	}
	last, spoke := steps[len(steps)-1].part(name)
	var before []float64
	for _, s := range steps[:len(steps)-1] {
		if p, ok := s.part(name); ok {
			before = append(before, p.Norm)
		}
	}
	if !spoke || len(before) < fewestNorms {
		return 0, false
	}
	m := median(before[max(0, len(before)-l.Window):])
	return last.Norm / m, m > 0
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	if n%2 == 1 {
		return x[n/2]
	}
	return (x[n/2-1] + x[n/2]) / 2
}

func (s Mass) part(name string) (MassPart, bool) {
	for _, p := range s.Parts {
		if p.Name == name {
			return p, true
		}
	}
	return MassPart{}, false
}

// massRoles are those of all steps in the order of their first appearance.
func massRoles(steps []Mass) []string {
	var out []string
	for _, s := range steps {
		for _, p := range s.Parts {
			if !slices.Contains(out, p.Name) {
				out = append(out, p.Name)
			}
		}
	}
	return out
}
