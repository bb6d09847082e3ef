package reward

import "testing"

// paper is the scheme of the paper: influence-aware, γ = 1, penalty −10 on the score, no incentives.
func paper() Scheme {
	return Scheme{Design: Influence, Gamma: 1, Penalty: -10, PenaltyScope: ScopeScore, IncentiveRule: PaperRule}
}

// debate puts scores, flags and what is right together, each [turn][agent]; nil: none.
func debate(scores [][]float64, flagged, correct [][]bool) []Turn {
	out := scored(scores)
	for t := range out {
		for a := range out[t] {
			out[t][a].Flagged = flagged != nil && flagged[t][a]
			out[t][a].Correct = correct != nil && correct[t][a]
		}
	}
	return out
}

func TestPenaliseKeepsItsArguments(t *testing.T) {
	scores := [][]float64{{.8, .6}, {.5, .7}}
	given := debate(scores, bits([]int{0, 1}, []int{0, 0}), nil)
	if got := Penalise(given, -10); got[0][1].Score != -10 || got[0][0].Score != .8 || got[1][0].Score != .5 || got[1][1].Score != .7 {
		t.Errorf("penalised: %v", got)
	}
	if given[0][1].Score != .6 {
		t.Errorf("the debate itself became %v", given)
	}
}

// A score of exactly −1 is a score like any other: there are no sentinels (§2.1).
func TestRewardOfMinusOneIsKept(t *testing.T) {
	s := paper()
	s.Design, s.Incentives = Immediate, Coefficients{Alpha0: 1}
	got := s.Rewards(debate([][]float64{{0, 0}, {0, 0}}, nil, bits([]int{1, 0}, []int{0, 0})))
	near(t, got, [][]float64{{0, 0}, {-1, 0}}, 0)
}

func TestSchemeTakesAllSteps(t *testing.T) {
	flagged := bits([]int{0, 0}, []int{1, 0}, []int{0, 0})
	correct := bits([]int{0, 1}, []int{1, 1}, []int{1, 0})
	d := debate([][]float64{{.8, .6}, {.4, .7}, {.9, .9}}, flagged, correct)
	s := paper()
	s.Incentives = Coefficients{Alpha0: 1, Alpha1: 2, Beta0: 4, Beta1: 8}
	// Influence of (.8,.6), (−10,.7), (.9,.9) as in §13, and the incentives of its second row.
	near(t, s.Rewards(d), [][]float64{{-.983333, 8 - 1.05}, {-4.55 - 6, .8}, {.9, .9 - 2}}, 5e-7)
	s.PenaltyScope = ScopeOwn
	near(t, s.Rewards(d)[1:2], [][]float64{{-10 - 6, .8}}, 1e-12)
}

// A score of exactly one half is not right.
func TestRightByScore(t *testing.T) {
	for score, want := range map[float64]bool{.49: false, .5: false, .51: true, 1: true} {
		if RightByScore(score) != want {
			t.Errorf("a score of %g is right: %v", score, !want)
		}
	}
}

func TestSchemeCheck(t *testing.T) {
	if err := paper().Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Scheme){
		"design": func(s *Scheme) { s.Design = "" }, "scope": func(s *Scheme) { s.PenaltyScope = "all" },
		"rule": func(s *Scheme) { s.IncentiveRule = "mine" }, "gamma above": func(s *Scheme) { s.Gamma = 1.1 },
		"gamma below": func(s *Scheme) { s.Gamma = -.1 },
	} {
		s := paper()
		spoil(&s)
		if s.Check() == nil {
			t.Errorf("%s: %+v passed", name, s)
		}
	}
}
