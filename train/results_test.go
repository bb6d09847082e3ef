package train_test

import (
	"context"
	"math"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
)

// TestReportOfALargerTeam: a pair's policies are measured in a team of three; the report has turns, transitions that fit them, the paper's
// baseline with twice the tokens, the comparison with each, and every policy without history. A second evaluation of the run finds
// the same numbers.
func TestReportOfALargerTeam(t *testing.T) {
	o := quick(t, "debate-sums", "team.turns=3", "policies.first_trained_turn=2", "training.updates=1", "ppo.epochs=1", "ppo.minibatches=1",
		"eval.agents=3", "eval.extract=2", "eval.without_history=true", "eval.baselines=[off-the-shelf-double, single]")
	result, err := train.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report
	for _, system := range []string{runs.OffTheShelf, runs.Trained, runs.OffTheShelfDouble} {
		row, ok := r.Row(system)
		if !ok || len(row.Turns) != 3 || len(row.Transitions) != 2 {
			t.Fatalf("%s: %+v", system, row)
		}
		for i, tr := range row.Transitions {
			before, after := row.Turns[i], row.Turns[i+1]
			for what, d := range map[string]float64{
				"RR + RW": tr.Answers.RR + tr.Answers.RW - before.SingleAnswer, "RR + WR": tr.Answers.RR + tr.Answers.WR - after.SingleAnswer,
				"votes": tr.Votes.Net - (after.Voted - before.Voted),
			} {
				if math.Abs(d) > 1e-9 {
					t.Errorf("%s, turn %d: %s is off by %v", system, i+2, what, d)
				}
			}
			if n := tr.Answers.RR * 48; math.Abs(n-math.Round(n)) > 1e-9 { // 16 problems, three agents
				t.Errorf("%s: share %v is not one of 48 answers", system, tr.Answers.RR)
			}
		}
	}
	if single, _ := r.Row(runs.Single); len(single.Turns) != 1 || len(single.Transitions) != 0 {
		t.Errorf("single: %+v", single)
	}
	if len(r.Comparisons) != 3 || r.Comparisons[0].System != runs.Trained || math.Abs(r.Comparisons[0].Difference-r.Gain) > 1e-9 || r.Comparisons[0].P <= 0 {
		t.Errorf("comparisons %+v", r.Comparisons)
	}
	wantPolicies(t, r.WithoutHistory, runs.OffTheShelf, "policy-turn2", "policy-turn3")

	again, err := train.Evaluate(context.Background(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: result.Dir, MaxUpdates: -1})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := again.Report.Rows, r.Rows; len(a) != len(b) || a[1].Score != b[1].Score || a[1].CI95 != b[1].CI95 {
		t.Errorf("evaluated again: %+v, first %+v", a, b)
	}
	wantPolicies(t, again.Report.WithoutHistory, runs.OffTheShelf, "policy-turn2", "policy-turn3")
}

func wantPolicies(t *testing.T, list []runs.LoneScore, want ...string) {
	t.Helper()
	var got []string
	for _, x := range list {
		got = append(got, x.Policy)
		if x.CI95[0] > x.Score || x.CI95[1] < x.Score {
			t.Errorf("%+v: the interval does not hold the score", x)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("without history: %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("without history: %v, want %v", got, want)
		}
	}
}
