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
	"parley/rollout"
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

// TestFilter: the team and the single agent beside it train on the problems between the bounds, and on no others; a run that
// was stopped while it measured them measures the rest, and is the same run.
func TestFilter(t *testing.T) {
	whole := quick(t, "debate-sums", append([]string{"eval.baselines=[trained-single]"}, filtered...)...)
	if _, err := train.Run(context.Background(), whole); err != nil {
		t.Fatal(err)
	}
	rates := ratesFile(t, whole.Dir)
	var between []string
	for _, r := range rates {
		if r.Samples != 4 {
			t.Errorf("%d answers to %s", r.Samples, r.ID)
		}
		if s := r.Share(); s >= 0.1 && s <= 0.7 {
			between = append(between, r.ID)
		}
	}
	if len(rates) != 20 || len(between) == 0 || len(between) == 20 {
		t.Fatalf("%d of %d problems are kept: the test tells nothing", len(between), len(rates))
	}
	for _, dir := range []string{whole.Dir, filepath.Join(whole.Dir, "trained-single")} {
		for _, id := range trainedOn(t, dir, 2) {
			if !slices.Contains(between, id) {
				t.Errorf("%s trains on %s", dir, id)
			}
		}
	}

	broken := quick(t, "debate-sums", append([]string{"eval.baselines=[trained-single]"}, filtered...)...)
	ctx, stop := context.WithCancel(context.Background())
	broken.Observe = func(e train.Event) {
		if strings.HasPrefix(e.Message, "pass rates of the untrained model: 8 of 20") {
			stop()
		}
	}
	if _, err := train.Run(ctx, broken); !errors.Is(err, train.ErrInterrupted) {
		t.Fatalf("interrupted run says %v", err)
	}
	if n := len(ratesFile(t, broken.Dir)); n != 8 {
		t.Fatalf("%d rates before the interruption", n)
	}
	if _, err := train.Run(context.Background(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: broken.Dir, Resume: true, MaxUpdates: -1}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ratesFile(t, broken.Dir), rates) || string(metricsFile(t, broken.Dir)) != string(metricsFile(t, whole.Dir)) {
		t.Error("the resumed run differs")
	}
}

// TestFilterOfHeldOutProblems: a run and every later measurement of it score the held-out problems between the bounds, and no others;
// an untrained team is measured on the same ones.
func TestFilterOfHeldOutProblems(t *testing.T) {
	o := quick(t, "debate-sums", append([]string{"task.filter.held_out=true", "eval.problems=16"}, filtered[:4]...)...)
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
