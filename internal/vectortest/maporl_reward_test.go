package vectortest

import (
	"strings"
	"testing"

	"parley/rl/reward"
)

// debate puts what a case says of the answers of a debate together, each [turn][agent]; nil: nothing.
func debate(scores [][]float64, flagged, correct [][]bool) []reward.Turn {
	out := make([]reward.Turn, max(len(scores), len(correct)))
	for t := range out {
		if scores != nil {
			out[t] = make(reward.Turn, len(scores[t]))
		} else {
			out[t] = make(reward.Turn, len(correct[t]))
		}
		for a := range out[t] {
			answer := &out[t][a]
			answer.Agent = a
			if scores != nil {
				answer.Score = scores[t][a]
			}
			answer.Flagged = flagged != nil && flagged[t][a]
			answer.Correct = correct != nil && correct[t][a]
		}
	}
	return out
}

func rewardsCase(t *testing.T, c Case) {
	v := decode[struct {
		Design          string
		Gamma           float64
		Scores, Rewards [][]float64
	}](t, c)
	design := reward.Design(v.Design)
	if err := design.Check(); err != nil {
		t.Fatal(err)
	}
	nearRows(t, c, "rewards", reward.Rewards(design, v.Gamma, debate(v.Scores, nil, nil)), v.Rewards)
}

func penaltiesCase(t *testing.T, c Case) {
	v := decode[struct {
		Design, Scope   string
		Gamma, Penalty  float64
		Scores, Rewards [][]float64
		Flagged         [][]int
	}](t, c)
	s := reward.Scheme{Design: reward.Design(v.Design), Gamma: v.Gamma, Penalty: v.Penalty, PenaltyScope: reward.Scope(v.Scope), IncentiveRule: reward.PaperRule}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	nearRows(t, c, "rewards", s.Rewards(debate(v.Scores, truths(v.Flagged), nil)), v.Rewards)
}

func incentivesCase(t *testing.T, c Case) {
	v := decode[struct {
		Alpha0, Alpha1, Beta0, Beta1 float64
		Correct                      [][]int
		Bonus                        [][]float64
	}](t, c)
	coefficients := reward.Coefficients{Alpha0: v.Alpha0, Alpha1: v.Alpha1, Beta0: v.Beta0, Beta1: v.Beta1}
	nearRows(t, c, "bonus", reward.Incentives(reward.PaperRule, coefficients, debate(nil, nil, truths(v.Correct))), v.Bonus)
}

func repetitionCase(t *testing.T, c Case) {
	v := decode[struct {
		Tokens     []string
		MinLen     int `json:"min_len"`
		MaxLen     int `json:"max_len"`
		MaxRepeats int `json:"max_repeats"`
		Flagged    bool
	}](t, c)
	rule := reward.Repetition{MinLen: v.MinLen, MaxLen: v.MaxLen, MaxRepeats: v.MaxRepeats}
	join := func(run []string) string { return strings.Join(run, "") }
	if got := reward.Repeats(v.Tokens, rule, join); got != v.Flagged {
		t.Errorf("flagged %v, want %v", got, v.Flagged)
	}
}
