package reward

import "testing"

func TestPenaliseKeepsItsArguments(t *testing.T) {
	scores := [][]float64{{.8, .6}, {.5, .7}}
	got := Penalise(scores, bits([]int{0, 1}, []int{0, 0}), -10)
	near(t, got, [][]float64{{.8, -10}, {.5, .7}}, 0)
	near(t, scores, [][]float64{{.8, .6}, {.5, .7}}, 0)
	near(t, Penalise(scores, nil, -10), scores, 0)
}

// A score of exactly −1 is a score like any other: there are no sentinels (§2.1).
func TestRewardOfMinusOneIsKept(t *testing.T) {
	s := DefaultScheme()
	s.Design, s.Incentives = Immediate, Coefficients{Alpha0: 1}
	got := s.Rewards([][]float64{{0, 0}, {0, 0}}, nil, bits([]int{1, 0}, []int{0, 0}))
	near(t, got, [][]float64{{0, 0}, {-1, 0}}, 0)
}

func TestSchemeTakesAllSteps(t *testing.T) {
	scores := [][]float64{{.8, .6}, {.4, .7}, {.9, .9}}
	flagged := bits([]int{0, 0}, []int{1, 0}, []int{0, 0})
	correct := bits([]int{0, 1}, []int{1, 1}, []int{1, 0})
	s := DefaultScheme()
	s.Incentives = Coefficients{Alpha0: 1, Alpha1: 2, Beta0: 4, Beta1: 8}
	// Influence of (.8,.6), (−10,.7), (.9,.9) as in §13, and the incentives of its second row.
	near(t, s.Rewards(scores, flagged, correct), [][]float64{{-.983333, 8 - 1.05}, {-4.55 - 6, .8}, {.9, .9 - 2}}, 5e-7)
	s.PenaltyScope = ScopeOwn
	near(t, s.Rewards(scores, flagged, correct)[1:2], [][]float64{{-10 - 6, .8}}, 1e-12)
}

func TestSection24WithoutVerifier(t *testing.T) {
	correct := bits([]int{1, 0}, []int{0, 1}, []int{1, 0})
	near(t, LabelScores(correct, false), [][]float64{{0, 0}, {0, 0}, {1, 0}}, 0)
	near(t, LabelScores(correct, true), [][]float64{{1, 0}, {0, 1}, {1, 0}}, 0)
}

func TestCorrectByVerifier(t *testing.T) {
	got := CorrectByVerifier([][]float64{{.5, .51}, {.49, 1}})
	if got[0][0] || !got[0][1] || got[1][0] || !got[1][1] {
		t.Errorf("%v", got)
	}
}

func TestSchemeCheck(t *testing.T) {
	if err := DefaultScheme().Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Scheme){
		"design": func(s *Scheme) { s.Design = "" }, "scope": func(s *Scheme) { s.PenaltyScope = "all" },
		"rule": func(s *Scheme) { s.IncentiveRule = "mine" }, "gamma above": func(s *Scheme) { s.Gamma = 1.1 },
		"gamma below": func(s *Scheme) { s.Gamma = -.1 },
	} {
		s := DefaultScheme()
		spoil(&s)
		if s.Check() == nil {
			t.Errorf("%s: %+v passed", name, s)
		}
	}
}
