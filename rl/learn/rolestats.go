package learn

import (
	"maps"

	"parley/engine"
	"parley/rl/loss"
)

// RoleStats are what a learner reports of each agent's part in the steps of an update (loss.Mass), where several agents learn.
type RoleStats struct {
	// RoleLoss is the share of each agent in the loss: of Σ |∂loss/∂log π| over all tokens and steps, which is tokens·|factor·A|.
	RoleLoss map[string]float64 `json:"role_loss_mass,omitempty"`
	// RoleNorm is the norm of an agent's gradient before clipping, a mean over steps: where it is alone in the steps of a policy, or where
	// gradients of agents are measured.
	RoleNorm map[string]float64 `json:"role_grad_norm,omitempty"`
	// RoleGradients say of every policy that several agents speak with how their gradients compare, means over its steps.
	RoleGradients map[string]loss.Mass `json:"role_gradients,omitempty"`

	losses    map[string]float64
	normSteps map[string]int
	roleSteps map[string][]loss.Mass
	mixed     map[string]bool // policies with steps in which agents are not told apart
}

func (s *RoleStats) addRoleLoss(role string, x float64) {
	if s.losses == nil {
		s.losses = map[string]float64{}
	}
	s.losses[role] += x
	s.RoleLoss, _ = loss.MassShares(s.losses)
}

// addRoles records what the agents gave to a step of a policy.
func (s *RoleStats) addRoles(policy string, w weighed, step engine.StepInfo) {
	switch {
	case IsCritic(engine.Policy(policy)):
	case w.step != nil:
		if s.roleSteps == nil {
			s.RoleGradients, s.roleSteps = map[string]loss.Mass{}, map[string][]loss.Mass{}
		}
		s.roleSteps[policy] = append(s.roleSteps[policy], *w.step)
		s.RoleGradients[policy] = loss.MeanMass(s.roleSteps[policy])
		for _, p := range w.step.Parts {
			s.addRoleNorm(p.Name, p.Norm)
		}
	case w.alone != "":
		s.addRoleNorm(w.alone, step.GradNorm)
	default:
		if s.mixed == nil {
			s.mixed = map[string]bool{}
		}
		s.mixed[policy] = true
	}
}

func (s *RoleStats) addRoleNorm(role string, norm float64) {
	if s.RoleNorm == nil {
		s.RoleNorm, s.normSteps = map[string]float64{}, map[string]int{}
	}
	s.normSteps[role]++
	s.RoleNorm[role] += (norm - s.RoleNorm[role]) / float64(s.normSteps[role])
}

// Norms are those of the gradients of an update: of agents where they are known, else of whole policies.
func (s *Stats) Norms() map[string]float64 {
	out := map[string]float64{}
	for policy := range s.mixed {
		out[policy] = s.GradNorm[policy]
	}
	maps.Copy(out, s.RoleNorm)
	return out
}
