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

// DefaultScheme is the paper's: influence-aware, γ = 1, penalty −10 on the score, no incentives.
func DefaultScheme() Scheme {
	return Scheme{Design: Influence, Gamma: 1, Penalty: DefaultPenalty, PenaltyScope: ScopeScore, IncentiveRule: PaperRule}
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

// Rewards returns the reward of every answer of one debate from its raw scores, its flags (nil: none), and which answers
// count as right for the incentives; all [turn][agent]. The scheme must pass [Scheme.Check].
func (s Scheme) Rewards(scores [][]float64, flagged, correct [][]bool) [][]float64 {
	if s.PenaltyScope == ScopeScore {
		scores = Penalise(scores, flagged, s.Penalty)
	}
	rewards := Rewards(s.Design, s.Gamma, scores)
	if s.PenaltyScope == ScopeOwn {
		rewards = Penalise(rewards, flagged, s.Penalty)
	}
	if s.Incentives == (Coefficients{}) {
		return rewards
	}
	for t, turn := range Incentives(s.IncentiveRule, s.Incentives, correct) {
		for a, bonus := range turn {
			rewards[t][a] += bonus
		}
	}
	return rewards
}

// LabelScores are the scores of a debate without a verifier (§2.4): 1 for a right answer of the last turn, else 0. With
// everyTurn, the answers of all turns are scored by their labels.
func LabelScores(correct [][]bool, everyTurn bool) [][]float64 {
	scores := make([][]float64, len(correct))
	for t, turn := range correct {
		scores[t] = make([]float64, len(turn))
		for a, right := range turn {
			if right && (everyTurn || t == len(correct)-1) {
				scores[t][a] = 1
			}
		}
	}
	return scores
}

// CorrectByVerifier says which answers count as right when incentives go by the verifier instead of the label: those with a
// score above one half (§2.3).
func CorrectByVerifier(scores [][]float64) [][]bool {
	correct := make([][]bool, len(scores))
	for t, turn := range scores {
		correct[t] = make([]bool, len(turn))
		for a, score := range turn {
			correct[t][a] = score > 0.5
		}
	}
	return correct
}
