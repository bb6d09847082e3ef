package train_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
	"parley/train/measure"
)

// TestPassAtOfARun: the report has pass@k and accuracy@k of the base and of the first trained policy, counted from as many answers to each
// problem as the greatest k. A second evaluation of the run finds the same numbers.
func TestPassAtOfARun(t *testing.T) {
	o := quick(t, "debate-sums", "training.updates=1", "ppo.epochs=1", "ppo.minibatches=1", "eval.problems=10", "eval.pass_at=[1, 3]", "eval.accuracy_at=[3]")
	result, err := train.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report
	if len(r.PassAt) != 4 || len(r.AccuracyAt) != 2 {
		t.Fatalf("pass@k %+v, accuracy@k %+v", r.PassAt, r.AccuracyAt)
	}
	for i, file := range []string{"evaluation/sampled-off-the-shelf-000000.json", "evaluation/sampled-trained-000001.json"} {
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
		if len(m.Shares) != 10 || one.K != 1 || three.K != 3 || one.System != [2]string{runs.OffTheShelf, runs.Trained}[i] {
			t.Errorf("%s: %d problems, %+v, %+v", file, len(m.Shares), one, three)
		}
		for what, d := range map[string]float64{"pass@1": one.Value - right/30, "pass@3": three.Value - solved/10, "accuracy@3": best.Value - solved/10, "its expectation": best.Expected - solved/10} {
			if math.Abs(d) > 1e-12 {
				t.Errorf("%s: %s is off by %v", file, what, d)
			}
		}
	}
	if !strings.Contains(result.Text, "pass@k") || !strings.Contains(result.Text, "accuracy@k") {
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
