package vectortest

import (
	"strings"
	"testing"

	"parley/reward"
)

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
	nearRows(t, c, "rewards", reward.Rewards(design, v.Gamma, v.Scores), v.Rewards)
}

func penaltiesCase(t *testing.T, c Case) {
	v := decode[struct {
		Design, Scope   string
		Gamma, Penalty  float64
		Scores, Rewards [][]float64
		Flagged         [][]int
	}](t, c)
	s := reward.DefaultScheme()
	s.Design, s.Gamma, s.Penalty, s.PenaltyScope = reward.Design(v.Design), v.Gamma, v.Penalty, reward.Scope(v.Scope)
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	nearRows(t, c, "rewards", s.Rewards(v.Scores, truths(v.Flagged), nil), v.Rewards)
}

func incentivesCase(t *testing.T, c Case) {
	v := decode[struct {
		Alpha0, Alpha1, Beta0, Beta1 float64
		Correct                      [][]int
		Bonus                        [][]float64
	}](t, c)
	coefficients := reward.Coefficients{Alpha0: v.Alpha0, Alpha1: v.Alpha1, Beta0: v.Beta0, Beta1: v.Beta1}
	nearRows(t, c, "bonus", reward.Incentives(reward.PaperRule, coefficients, truths(v.Correct)), v.Bonus)
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
