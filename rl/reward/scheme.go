package reward

// A Scheme is everything between the scores of a debate and its rewards (§2).
type Scheme struct {
	Design        Design        `json:"design"`
	Gamma         float64       `json:"gamma"` // discount over turns, in [0, 1]
	Penalty       float64       `json:"penalty"`
	PenaltyScope  Scope         `json:"penalty_scope"`
	Incentives    Coefficients  `json:"incentives"`
	IncentiveRule IncentiveRule `json:"incentive_rule"`
}

// Check reports whether s can be used.
func (s Scheme) Check() error {
	for _, err := range []error{s.Design.Check(), s.PenaltyScope.Check(), s.IncentiveRule.Check(), checkGamma(s.Gamma)} {
		if err != nil {
			return err
		}
	}
	return nil
}

// Rewards returns the reward of every answer of one debate, [turn][speaker]. The scheme must pass [Scheme.Check].
func (s Scheme) Rewards(debate []Turn) [][]float64 {
	scored := debate
	if s.PenaltyScope == ScopeScore {
		scored = Penalise(debate, s.Penalty)
	}
	rewards := Rewards(s.Design, s.Gamma, scored)
	if s.PenaltyScope == ScopeOwn {
		s.replaceFlagged(rewards, debate)
	}
	if s.Incentives == (Coefficients{}) {
		return rewards
	}
	for t, turn := range Incentives(s.IncentiveRule, s.Incentives, debate) {
		for i, bonus := range turn {
			rewards[t][i] += bonus
		}
	}
	return rewards
}

// replaceFlagged gives flagged answers the penalty as their reward.
func (s Scheme) replaceFlagged(rewards [][]float64, debate []Turn) {
	for t, turn := range debate {
		for i, a := range turn {
			if a.Flagged {
				rewards[t][i] = s.Penalty
			}
		}
	}
}
