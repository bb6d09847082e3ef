package train_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/rl/rollout"
	"parley/runs"
	"parley/task"
	"parley/train"
)

// ratesFile reads a run's pass rates of training problems.
func ratesFile(t *testing.T, dir string) []task.PassRate { return ratesOf(t, dir, "pass-rates.json") }

func ratesOf(t *testing.T, dir, file string) (rates []task.PassRate) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err == nil {
		err = json.Unmarshal(data, &rates)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rates
}

// trainedOn names the problems of all episodes of a run.
func trainedOn(t *testing.T, dir string, updates int) (ids []string) {
	t.Helper()
	for u := range updates {
		err := runs.ReadEpisodes(dir, u+1, func(data []byte) error {
			var e rollout.Episode
			err := json.Unmarshal(data, &e)
			ids = append(ids, e.Problem.ID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

var filtered = []string{"task.train=20", "task.filter.min_pass_rate=0.1", "task.filter.max_pass_rate=0.7", "task.filter.samples=4", "training.updates=2", "eval.problems=8"}

// TestFilterOfHeldOutProblems: a run and every later measurement of it score the held-out problems between the bounds, and no others;
// an untrained team is measured on the same ones.
func TestFilterOfHeldOutProblems(t *testing.T) {
	o := quick(t, "debate-sums", append(slices.Clone(filtered[:4]), "task.filter.held_out=true", "eval.problems=16", "task.train=8", "training.updates=1", "training.problems=2", "ppo.epochs=1")...)
	run, err := train.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, r := range ratesOf(t, o.Dir, "pass-rates-held-out.json") {
		if s := r.Share(); s >= 0.1 && s <= 0.7 {
			kept++
		}
	}
	if kept == 0 || kept == 16 {
		t.Fatalf("%d of 16 problems are kept: the test tells nothing", kept)
	}
	for name, again := range map[string]train.Options{"the run": {Backend: native.Backend{}, Language: language.New(), Dir: o.Dir}, "the untrained team": {Backend: native.Backend{}, Recipe: o.Recipe}} {
		measured, err := train.Evaluate(context.Background(), again)
		if err != nil {
			t.Fatal(err)
		}
		if run.Report.Problems != kept || measured.Report.Problems != kept {
			t.Errorf("%s: %d problems in its report, %d measured later, %d kept", name, run.Report.Problems, measured.Report.Problems, kept)
		}
		if a, b := run.Report.Rows[0].PerTurn, measured.Report.Rows[0].PerTurn; !slices.Equal(a, b) {
			t.Errorf("%s: untrained %v in its report, %v later", name, a, b)
		}
	}
}

// TestFilterThatKeepsNothing: the error says what the rates were.
func TestFilterThatKeepsNothing(t *testing.T) {
	o := quick(t, "debate-sums", "task.train=4", "task.filter.max_pass_rate=0.01", "task.filter.min_pass_rate=0.005", "task.filter.samples=2")
	_, err := train.Run(context.Background(), o)
	if !errors.As(err, new(*train.UserError)) || !strings.Contains(err.Error(), "solves 0 of 4 training problems at a rate from 0.005 to 0.01 (2 answers each") {
		t.Errorf("error %v", err)
	}
}
