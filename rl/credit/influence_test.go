package credit_test

import (
	"math"
	"testing"

	"parley/rl/credit"
)

func number(x float64) *float64 { return &x }

// TestAlikeWithinAnAgent: the influence of a step is a mean over the steps of its agent that point the same way; others do not count.
func TestAlikeWithinAnAgent(t *testing.T) {
	step := func(agent string, x float64, vector ...float64) credit.InfluenceStep {
		return credit.InfluenceStep{Agent: agent, Tokens: 1, Influence: number(x), Vector: vector}
	}
	rule := credit.InfluenceRule{Alpha: 0.1, Beta: 0.1, Eps: 1e-6, Threshold: 0.9}
	got := rule.Credit([]credit.InfluenceEpisode{
		{Outcome: 1, Right: true, Steps: []credit.InfluenceStep{step("a", 1, 1, 0), step("b", 8, 1, 0), step("a", 5, 0, 1)}},
		{Outcome: 0, Steps: []credit.InfluenceStep{step("a", 3, 2, 0), {Agent: "b"}}},
	})
	if *got[0][0].Influence != 2 || got[0][0].Alike != 2 || *got[0][1].Influence != 8 || *got[0][2].Influence != 5 || got[1][1].Influence != nil {
		t.Errorf("%+v", got)
	}
	// b has one influence, so it teaches nothing; a has 2, 5, 2 with the mean 3 and the deviation √2.
	outcome := 0.5 / (0.5 + 1e-6)
	if want := outcome + 0.1*(2-3)/(math.Sqrt2+1e-6); math.Abs(got[0][0].Advantage-want) > 1e-12 || math.Abs(got[0][1].Advantage-outcome) > 1e-12 {
		t.Errorf("advantages %v and %v, want %v and %v", got[0][0].Advantage, got[0][1].Advantage, want, outcome)
	}
}

// TestRestarts: being surer after a restart is good where the answer is right, and bad where it is wrong.
func TestRestarts(t *testing.T) {
	for _, c := range []struct {
		delta float64
		right bool
		want  float64
	}{{0.5, true, 1}, {0.5, false, -1}, {-0.5, true, -1}, {-0.5, false, 1}, {0, true, 0}} {
		rule := credit.InfluenceRule{Beta: 0.1, Eps: 1e-6, Threshold: 0.9, RawRestarts: true}
		got := rule.Credit([]credit.InfluenceEpisode{{Right: c.right, Steps: []credit.InfluenceStep{{Agent: "a", Restart: number(c.delta)}}}})
		if *got[0][0].Restart != c.want || math.Abs(got[0][0].Advantage-0.1*c.want) > 1e-15 {
			t.Errorf("%+v: %+v", c, got[0][0])
		}
	}
}

// TestTokenScale: with 1/T a step of a longer episode counts less.
func TestTokenScale(t *testing.T) {
	if a, b, c := credit.TokenScale(2, 4, 0), credit.TokenScale(2, 4, 2), credit.TokenScale(2, 0, 2); a != 1./8 || b != 1./16 || c != 0 {
		t.Errorf("scales %v, %v, %v", a, b, c)
	}
}
