package train_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs"
	"parley/task/answer"
	"parley/train"
	"parley/train/measure"
)

// TestPassAtOfARun: the report has pass@k and accuracy@k of the team before training and after it, counted from as many joint samples of each
// problem as the greatest k, and of one untrained agent where that is a baseline. A second evaluation of the run finds the same numbers.
// TestLongPassAtOfARun has more problems.
func TestPassAtOfARun(t *testing.T) { passAtOfARun(t, 4) }

func passAtOfARun(t *testing.T, problems int) {
	t.Helper()
	n := float64(problems)
	o := quick(t, "debate-sums", "training.updates=1", "ppo.epochs=1", "ppo.minibatches=1", fmt.Sprint("eval.problems=", problems), "eval.baselines=[single]", "eval.pass_at=[1, 3]", "eval.accuracy_at=[3]", "eval.pass_hat=[1, 2]")
	result, err := train.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report
	systems := []string{runs.OffTheShelf, runs.Trained, runs.Single}
	if len(r.PassAt) != 6 || len(r.AccuracyAt) != 3 {
		t.Fatalf("pass@k %+v, accuracy@k %+v", r.PassAt, r.AccuracyAt)
	}
	for i, file := range []string{"evaluation/samples-off-the-shelf-000000.json", "evaluation/samples-trained-000001.json", "evaluation/samples-single-000000.json"} {
		var m measure.Measurement
		if err := json.Unmarshal(runFile(t, result.Dir, file), &m); err != nil {
			t.Fatal(err)
		}
		right, solved := 0.0, 0.0 // answers, and problems that one of three answers solves
		for _, shares := range m.Shares {
			if len(shares) != 3 {
				t.Fatalf("%s: %d answers to a problem", file, len(shares))
			}
			right, solved = right+shares[0]+shares[1]+shares[2], solved+max(shares[0], shares[1], shares[2])
		}
		one, three, best := r.PassAt[2*i], r.PassAt[2*i+1], r.AccuracyAt[i]
		if len(m.Shares) != problems || one.K != 1 || three.K != 3 || one.System != systems[i] {
			t.Errorf("%s: %d problems, %+v, %+v", file, len(m.Shares), one, three)
		}
		for what, d := range map[string]float64{"pass@1": one.Value - right/(3*n), "pass@3": three.Value - solved/n, "accuracy@3": best.Value - solved/n, "its expectation": best.Expected - solved/n} {
			if math.Abs(d) > 1e-12 {
				t.Errorf("%s: %s is off by %v", file, what, d)
			}
		}
	}
	// The first sample of a team is what the team is measured by. Its answers are those of both agents: one right answer of two is a tie, which the first wins.
	for i, system := range systems[:2] {
		var samples, team measure.Measurement
		for file, m := range map[string]*measure.Measurement{fmt.Sprintf("evaluation/samples-%s-%06d.json", system, i): &samples, fmt.Sprintf("evaluation/%s-%06d.json", system, i): &team} {
			if err := json.Unmarshal(runFile(t, result.Dir, file), m); err != nil {
				t.Fatal(err)
			}
		}
		for p, d := range team.Debates {
			given := answer.Plurality(d.Answers[len(d.Answers)-1]).Winner
			if right := given.OK && given.Canonical == d.Truth; right != (samples.Shares[p][0] == 1) {
				t.Errorf("%s, problem %d: the first sample solves %v of it, the team's answer %+v of %s", system, p, samples.Shares[p][0], given, d.Truth)
			}
		}
	}
	// pass^k is of the team alone, from as many plays as its greatest k.
	if len(r.PassHat) != 4 {
		t.Fatalf("pass^k %+v", r.PassHat)
	}
	for i, x := range r.PassHat {
		var m measure.Measurement
		if err := json.Unmarshal(runFile(t, result.Dir, fmt.Sprintf("evaluation/samples-%s-%06d.json", systems[i/2], i/2)), &m); err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for _, passed := range m.Passed {
			if len(passed) != 2 {
				t.Fatalf("%d plays", len(passed))
			}
			want += []float64{(passed[0] + passed[1]) / 2, passed[0] * passed[1]}[i%2] / n
		}
		if x.System != systems[i/2] || x.K != i%2+1 || math.Abs(x.Value-want) > 1e-12 {
			t.Errorf("pass^k %+v, want %v", x, want)
		}
	}
	if !strings.Contains(result.Text, "pass^k") || !strings.Contains(result.Text, "pass@k") || !strings.Contains(result.Text, "accuracy@k") {
		t.Errorf("the text says nothing of them:\n%s", result.Text)
	}

	again, err := train.Evaluate(context.Background(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: result.Dir, MaxUpdates: -1})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range again.Report.PassAt {
		if x != r.PassAt[i] {
			t.Errorf("evaluated again: %+v, first %+v", x, r.PassAt[i])
		}
	}
}
