package learn

import "parley/engine"

// Stats is what a learner reports of one update. Every value is a function of recipe and seed.
type Stats struct {
	// Return is what answers are trained on, a mean per agent: with a design or a discount it has rewards of later turns in it. ShapedReturn
	// is that less the penalty for the distance from the base, where there is one.
	Return       []float64 `json:"return"`
	ShapedReturn []float64 `json:"shaped_return,omitempty"`

	KL              *float64 `json:"kl,omitempty"`          // to the base, per answer, on sampled tokens; absent where nothing needs it
	ClipShare       float64  `json:"clip_share"`            // of tokens whose clipped term was active
	RatioMean       float64  `json:"ratio_mean"`            // of token probabilities, new over old, over all passes
	RatioMax        float64  `json:"ratio_max"`             //
	FirstRatio      float64  `json:"first_ratio_deviation"` // greatest |ratio - 1| of the first pass: 0
	PolicyLoss      float64  `json:"policy_loss"`
	ValueLoss       float64  `json:"value_loss,omitempty"`
	Explained       float64  `json:"value_explained,omitempty"`  // share of the returns' variance that the critic knows
	Pairs           int      `json:"pairs,omitempty"`            // of joint responses that were learned from
	PairSteps       int      `json:"pair_env_steps,omitempty"`   // two a pair, as MADPO counts its steps
	Dropped         int      `json:"dropped,omitempty"`          // texts of a comparator that are no candidates
	Preferred       float64  `json:"preferred,omitempty"`        // share of pairs whose better response the team prefers, before it learns from them
	CriticPairs     int      `json:"critic_pairs,omitempty"`     // of dialogues that critics learned from
	CriticLoss      float64  `json:"critic_loss,omitempty"`      // its mean over their batches
	CriticPreferred float64  `json:"critic_preferred,omitempty"` // share of these pairs whose better dialogue critics preferred, before they learned from them
	Candidates      int      `json:"candidates,omitempty"`       // messages that critics ranked
	Kept            int      `json:"kept,omitempty"`             // debates that supervised learning took
	DeadGroups      float64  `json:"dead_groups,omitempty"`      // share of groups whose credits are all equal
	NotZeroSum      *int     `json:"not_zero_sum,omitempty"`     // episodes whose rewards do not add up to 0, where that is promised
	HelpRate        *float64 `json:"help_rate,omitempty"`        // share of episodes that were right where the team without one agent was not; absent: it was not tried
	HurtRate        *float64 `json:"hurt_rate,omitempty"`        // of the reverse
	SameRate        *float64 `json:"same_rate,omitempty"`        // of those that came to the same
	Influence       *float64 `json:"influence,omitempty"`        // mean log-probability that a message lends the next step; absent: it is not measured
	Restarts        int      `json:"restarts,omitempty"`         // messages that dropped what their agents had said, and an answer followed
	RestartReward   *float64 `json:"restart_reward,omitempty"`   // their mean reward
	LR              float64  `json:"lr"`                         // of the last optimizer step
	OptimizerSteps  int      `json:"optimizer_steps"`            // in this update, all policies

	GradNorm map[string]float64 `json:"grad_norm"` // per policy, mean over its steps

	// RoleBaselines are the moving averages of roles after the update, by game/role, where messages are compared with them.
	RoleBaselines map[string]float64 `json:"role_baselines,omitempty"`

	RoleStats

	passes, valuePasses, criticPasses int
	influences                        int
	returns, shaped                   agentMeans
	policySteps                       map[string]int
	moved                             map[string]float64 // see [Stats.Moved]
}

// AddReturn records what an answer of an agent is trained on.
func (s *Stats) AddReturn(agent int, x float64) { s.Return = s.returns.add(agent, x) }

// AddShapedReturn records the same less the penalty for the distance from the base.
func (s *Stats) AddShapedReturn(agent int, x float64) { s.ShapedReturn = s.shaped.add(agent, x) }

// AddInfluence records what a message did to the next step.
func (s *Stats) AddInfluence(x float64) {
	if s.influences++; s.Influence == nil {
		s.Influence = new(float64)
	}
	*s.Influence += (x - *s.Influence) / float64(s.influences)
}

// AddRestart records what a restart earned.
func (s *Stats) AddRestart(reward float64) {
	if s.Restarts++; s.RestartReward == nil {
		s.RestartReward = new(float64)
	}
	*s.RestartReward += (reward - *s.RestartReward) / float64(s.Restarts)
}

// agentMeans are means over the answers of each agent.
type agentMeans struct{ sums, counts []float64 }

// add takes in a number of an agent and returns the means so far; an agent without a number has 0.
func (m *agentMeans) add(agent int, x float64) []float64 {
	for len(m.sums) <= agent {
		m.sums, m.counts = append(m.sums, 0), append(m.counts, 0)
	}
	m.sums[agent] += x
	m.counts[agent]++
	out := make([]float64, len(m.sums))
	for a := range out {
		out[a] = m.sums[a] / max(m.counts[a], 1)
	}
	return out
}

// AddStep records one optimizer step of a policy.
func (s *Stats) AddStep(policy string, step engine.StepInfo, lr float64) {
	if s.GradNorm == nil {
		s.GradNorm, s.policySteps, s.moved = map[string]float64{}, map[string]int{}, map[string]float64{}
	}
	s.OptimizerSteps++
	s.LR = lr
	s.policySteps[policy]++
	s.GradNorm[policy] += (step.GradNorm - s.GradNorm[policy]) / float64(s.policySteps[policy])
	if step.ParamNorm > 0 {
		s.moved[policy] += step.UpdateNorm / step.ParamNorm
	}
}

// Moved is how far the policy that went farthest has gone: the sum of its steps' norms, each as a share of the norm of its parameters; nil
// where no engine says it.
func (s *Stats) Moved() *float64 {
	var most *float64
	for _, moved := range s.moved {
		if most == nil || moved > *most {
			most = &moved
		}
	}
	return most
}

// AddPass records the loss and the ratios of one minibatch of a policy.
func (s *Stats) AddPass(loss, ratioMean, ratioMax float64) {
	s.AddLoss(loss)
	s.RatioMean += (ratioMean - s.RatioMean) / float64(s.passes)
	s.RatioMax = max(s.RatioMax, ratioMax)
}

// AddLoss records the loss of one minibatch without ratios.
func (s *Stats) AddLoss(loss float64) {
	s.passes++
	s.PolicyLoss += (loss - s.PolicyLoss) / float64(s.passes)
}

// AddClipShare records the clip share of the minibatch that was just passed.
func (s *Stats) AddClipShare(share float64) {
	s.ClipShare += (share - s.ClipShare) / float64(s.passes)
}

// AddPreferred records how many of a batch of pairs, just passed, were ordered rightly.
func (s *Stats) AddPreferred(share float64) {
	s.Preferred += (share - s.Preferred) / float64(s.passes)
}

// AddCriticPass records one batch of pairs of a critic: its loss, and how many were ordered rightly before.
func (s *Stats) AddCriticPass(loss, preferred float64) {
	s.criticPasses++
	s.CriticLoss += (loss - s.CriticLoss) / float64(s.criticPasses)
	s.CriticPreferred += (preferred - s.CriticPreferred) / float64(s.criticPasses)
}

// AddValuePass records one minibatch of a critic.
func (s *Stats) AddValuePass(loss, explained float64) {
	s.valuePasses++
	s.ValueLoss += (loss - s.ValueLoss) / float64(s.valuePasses)
	s.Explained += (explained - s.Explained) / float64(s.valuePasses)
}
