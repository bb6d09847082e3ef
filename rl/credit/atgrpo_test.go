package credit_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/credit"
)

// TestOneDecisionIsGRPO: the candidates of one decision are compared as a group of completions, and the first of the best is executed.
func TestOneDecisionIsGRPO(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var scores []float64
		var candidates []credit.Candidate
		for range rapid.IntRange(2, 8).Draw(t, "K") {
			s := float64(rapid.IntRange(-40, 40).Draw(t, "score")) / 10
			scores, candidates = append(scores, s), append(candidates, credit.Candidate{Prompt: "q", Team: s})
		}
		for std, normalize := range map[credit.Std]bool{credit.StdNone: false, credit.StdPopulation: true} {
			rule := credit.ATGRPO{K: len(scores), Alpha: 1, Spread: credit.Spread{Std: std, Divide: credit.DivideFloor, Eps: credit.SpreadEps}, Pick: credit.Best}
			d, err := rule.Decide(candidates, 0)
			if err != nil {
				t.Fatal(err)
			}
			want, err := credit.Advantages(scores, credit.ModeMean, normalize)
			if err != nil {
				t.Fatal(err)
			}
			for k := range want {
				if math.Abs(d.Advantages[k]-want[k]) > 1e-12 {
					t.Fatalf("advantages %v, want %v", d.Advantages, want)
				}
				if k < d.Executed && scores[k] >= scores[d.Executed] || scores[k] > scores[d.Executed] {
					t.Fatalf("executed %d of %v", d.Executed, scores)
				}
			}
		}
	})
}

// TestWhatIsNoGroup: other prompts or another number of candidates are no group; one candidate that is left is executed and teaches nothing.
func TestWhatIsNoGroup(t *testing.T) {
	rule := credit.ATGRPO{K: 2, Alpha: 1, Spread: credit.Spread{Std: credit.StdNone, Divide: credit.DivideAdd}, Pick: credit.Best}
	for _, c := range []struct {
		candidates []credit.Candidate
		valid      bool
		executed   int
	}{
		{[]credit.Candidate{{Prompt: "a", Team: 1}, {Prompt: "b"}}, false, -1},
		{[]credit.Candidate{{Prompt: "a", Team: 1}}, false, -1},
		{[]credit.Candidate{{Prompt: "a", Failed: true}, {Prompt: "a", Team: 1}}, true, 1},
		{[]credit.Candidate{{Prompt: "a", Failed: true}, {Prompt: "a", Failed: true}}, true, -1},
	} {
		d, err := rule.Decide(c.candidates, 0)
		if err != nil {
			t.Fatal(err)
		}
		if d.Valid != c.valid || d.Executed != c.executed || d.Learns {
			t.Errorf("%+v: %+v", c.candidates, d)
		}
	}
	rule.Pick = "worst"
	if _, err := rule.Decide(nil, 0); err == nil {
		t.Error("no error for an unknown pick")
	}
}
