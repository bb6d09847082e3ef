package explain_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/credit"
	"parley/rl/reward"
	"parley/viewer/explain"
)

// TestAdvantages: whatever a group earned, the advantage of each algorithm is explained by a formula that gives it, of that algorithm where it is
// no other one's too, and a number that no formula gives is claimed by none.
func TestAdvantages(t *testing.T) {
	modes := map[string]credit.AdvantageMode{"magrpo": credit.ModeMean, "marloo": credit.ModeRLOO, "maremax": credit.ModeMax, "mareinforce": credit.ModeRaw}
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-2, 2), 2, 6).Draw(t, "values")
		algorithm := rapid.SampledFrom([]string{"magrpo", "marloo", "maremax", "mareinforce"}).Draw(t, "algorithm")
		normalize := rapid.Bool().Draw(t, "normalize")
		advantages, err := credit.Advantages(values, modes[algorithm], normalize)
		if err != nil {
			t.Fatal(err)
		}
		s := explain.Settings{Algorithm: algorithm, Normalize: normalize}
		for i, a := range advantages {
			f := explain.Advantage(s, values[i], a, []explain.Group{{What: "the group", Values: values, Own: i}})
			if !f.Exact {
				t.Fatalf("%v of %v by %s: %+v", a, values, algorithm, f)
			}
		}
		none := explain.Advantage(s, values[0], 1000.5, []explain.Group{{Values: values, Own: 0}})
		if none.Exact || none.Note == "" {
			t.Fatalf("a number from nowhere is %+v", none)
		}
	})
}

// TestBaseline: of groups that give the same number the one that the recipe compares in is named.
func TestBaseline(t *testing.T) {
	groups := []explain.Group{{What: "episodes", Values: []float64{1, -1}, Own: 0, Baseline: "problem"}, {What: "own", Values: []float64{2, -2}, Own: -1, Baseline: "agent"}}
	for baseline, want := range map[string]string{"problem": "of episodes: 1, −1", "agent": "of own: 2, −2", "": "of episodes: 1, −1"} {
		f := explain.Advantage(explain.Settings{Algorithm: "magrpo", Baseline: baseline}, 1, 1, groups)
		if got := f.Terms[len(f.Terms)-1]; got.Symbol != "mean(R)" || got.What != want {
			t.Errorf("%q: %+v, want %s", baseline, got, want)
		}
	}
}

// TestDebates: what a debate pays by any design, with penalties and incentives, is explained.
func TestDebates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := explain.Debate{Scheme: reward.Scheme{
			Design: rapid.SampledFrom(reward.Designs).Draw(t, "design"), Gamma: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "gamma"), Penalty: -10,
			PenaltyScope:  rapid.SampledFrom([]reward.Scope{reward.ScopeScore, reward.ScopeOwn}).Draw(t, "scope"),
			IncentiveRule: reward.PaperRule, Incentives: reward.Coefficients{Alpha0: rapid.SampledFrom([]float64{0, 1}).Draw(t, "alpha"), Beta1: 2},
		}}
		for range rapid.IntRange(1, 3).Draw(t, "turns") {
			turn := reward.Turn{}
			for agent := range 3 {
				turn = append(turn, reward.Answer{
					Agent: agent, Score: float64(rapid.IntRange(0, 1).Draw(t, "score")), Correct: rapid.Bool().Draw(t, "right"), Flagged: rapid.IntRange(0, 4).Draw(t, "flag") == 0,
				})
			}
			d.Turns = append(d.Turns, turn)
		}
		for turn, paid := range d.Scheme.Rewards(d.Turns) {
			for i, r := range paid {
				f := d.Paid(turn, i, r)
				if !f.Exact || f.Formula == "" || strings.Contains(f.Filled, "NaN") {
					t.Fatalf("turn %d, answer %d earned %v: %+v", turn, i, r, f)
				}
				if f := d.Paid(turn, i, r+0.75); f.Exact {
					t.Fatalf("another number is explained: %+v", f)
				}
			}
		}
	})
}

// TestJoined: returns of joint actions with what followed, and their mean over those that an answer was part of.
func TestJoined(t *testing.T) {
	s := explain.Settings{Discount: 0.9}
	for _, c := range []struct {
		earned float64
		joints []explain.Joint
		filled string
	}{
		{1, []explain.Joint{{Action: 2, Reward: 1}}, "1 = 1"},
		{0.95, []explain.Joint{{Reward: 0.5, Below: []float64{0, 1}}}, "0.95 = 0.5 + 0.9 · mean(0, 1)"},
		{0.25, []explain.Joint{{Reward: 0}, {Action: 1, Reward: 0.5}}, "0.25 = mean(0, 0.5)"},
		{0.5, []explain.Joint{{Reward: 0}, {Action: 1, Reward: 0.5}}, "0.5 = sum(0, 0.5)"},
		{0.5, []explain.Joint{{Own: 0.5}}, "0.5 = 0 + 0.5"},
		{1.9, []explain.Joint{{Reward: 1, Below: []float64{0}, Owned: []float64{1}}}, "1.9 = 1 + 0 + 0.9 · mean(1)"},
		{7, []explain.Joint{{Reward: 0}}, "7"},
	} {
		f := explain.Joined(s, c.earned, c.joints)
		if f.Filled != c.filled || f.Exact != (c.earned != 7) {
			t.Errorf("%v of %+v: %+v", c.earned, c.joints, f)
		}
	}
	signed := explain.Settings{Discount: 1, Sign: true}
	if f := explain.Joined(signed, -1, []explain.Joint{{Reward: 0}}); f.Filled != "−1, as r = 0 ≤ 0" || !f.Exact {
		t.Errorf("an outcome is %+v", f)
	}
	if f := explain.Joined(signed, -1, []explain.Joint{{Reward: 0.5}}); f.Exact {
		t.Errorf("another outcome is claimed: %+v", f)
	}
	malt := explain.Settings{Algorithm: "malt"}
	if f := explain.Advantage(malt, 0.25, -0.25, nil); f.Filled != "−0.25 = 0.25 − ½" || !f.Exact {
		t.Errorf("an advantage of MALT is %+v", f)
	}
	if f := explain.Advantage(malt, 0.25, 0.75, nil); f.Exact {
		t.Errorf("another advantage is claimed: %+v", f)
	}
	if f := explain.Scored(-9, 1, 10); f.Filled != "−9 = 1 − 10" || !f.Exact || math.IsNaN(f.Terms[0].Value) {
		t.Errorf("a penalty is %+v", f)
	}
}
