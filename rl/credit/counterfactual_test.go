package credit_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/credit"
)

// TestTheBonusIsAFactor: with rewards of two values and the mean of the group's solo answers, the bonus only makes the thinker's advantages
// 1 + λ/2 times as long; divided by their deviation nothing is left of it.
func TestTheBonusIsAFactor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lambda := rapid.Float64Range(0, 2).Draw(t, "lambda")
		var g credit.Pair
		solo := 0
		for range rapid.IntRange(2, 16).Draw(t, "G") {
			reward := func(name string) credit.Outcome {
				return credit.Outcome{Reward: float64(rapid.IntRange(0, 1).Draw(t, name))}
			}
			g.Joint, g.Solo = append(g.Joint, reward("joint")), append(g.Solo, reward("solo"))
			solo += int(2*g.Solo[len(g.Solo)-1].Reward) - 1
		}
		for _, bonus := range []credit.Bonus{credit.Event, credit.Delta} {
			if bonus == credit.Event && solo == 0 {
				continue // b is 0: neither help nor hurt
			}
			for std, factor := range map[credit.Std]float64{credit.StdNone: 1 + lambda/2, credit.StdPopulation: 1} {
				rule := credit.Rule{Lambda: lambda, Bonus: bonus, Binary: true, Spread: credit.Spread{Std: std, Divide: credit.DivideFloor, Eps: credit.SpreadEps}}
				got, err := rule.Credit(g, new(credit.Rates))
				if err != nil {
					t.Fatal(err)
				}
				for i, a := range got.SolverAdvantages {
					if math.Abs(got.ThinkerAdvantages[i]-factor*a) > 1e-12 {
						t.Fatalf("%s, std %s: thinker %v, solver %v, want the factor %v", bonus, std, got.ThinkerAdvantages, got.SolverAdvantages, factor)
					}
				}
			}
		}
	})
}

// TestVotesOfOthers: the credit of a vote is what it changed. With one answer more or less nothing changes where the majority is greater than that.
func TestVotesOfOthers(t *testing.T) {
	vote := func(answers ...string) (out []credit.Vote) {
		for _, a := range answers {
			out = append(out, credit.Vote{Answer: a, Readable: a != ""})
		}
		return out
	}
	for _, c := range []struct {
		votes []credit.Vote
		want  []float64
	}{
		{vote("4", "5", "4"), []float64{2, 0, 0}},
		{vote("5", "4", "4", "4"), []float64{0, 0, 0, 0}},
		{vote("5", "4"), []float64{-2, 0}},
		{vote("", "4"), []float64{0, 2}},
	} {
		if _, got := credit.Votes(c.votes, "4"); !equal(got, c.want) {
			t.Errorf("%v: credits %v, want %v", c.votes, got, c.want)
		}
	}
}

func equal(a, b []float64) bool {
	for i := range b {
		if len(a) != len(b) || a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestUnknownBonus: a misspelled word is named.
func TestUnknownBonus(t *testing.T) {
	rule := credit.Rule{Bonus: "both", Spread: credit.Spread{Std: credit.StdNone, Divide: credit.DivideAdd}}
	if _, err := rule.Credit(credit.Pair{}, new(credit.Rates)); err == nil {
		t.Error("no error")
	}
}
