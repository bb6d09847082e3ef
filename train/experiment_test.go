package train_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/internal/shortrun"
	"parley/recipe"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
)

// twoRuns is an experiment of two variants as small as it can be.
func twoRuns(t *testing.T) *recipe.Recipe {
	t.Helper()
	r, err := language.New().Parse("f", []byte(`name: x
preset: debate-sums
experiment:
  seeds: [1, 2]
  variants:
    reinforced: []
    supervised: [algorithm=sft, sft.keep=0.5, eval.task.name=sums, eval.task.steps=3]
`), brief)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestExperiment: every variant is run with every seed, the report has their means, and an experiment that lost a run makes that one
// again and no other.
func TestExperiment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	result, err := train.Run(t.Context(), train.Options{Backend: native.Backend{}, Recipe: twoRuns(t), Dir: dir, MaxUpdates: -1})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"reinforced-s1", "reinforced-s2", "supervised-s1", "supervised-s2"}; !slices.Equal(result.Report.Runs, want) || result.Report.Updates != 8 {
		t.Errorf("runs %q, want %q; %d updates", result.Report.Runs, want, result.Report.Updates)
	}
	var scores, per []float64
	for _, name := range []string{"supervised-s1", "supervised-s2"} {
		one, err := runs.ReadReport(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		row, _ := one.Row(runs.Trained)
		scores, per = append(scores, row.Score), append(per, row.PerTurn[0])
	}
	found := false
	for _, row := range result.Report.Rows {
		if row.Variant == "supervised" && row.System == runs.Trained {
			found = true
			if math.Abs(row.Score-(scores[0]+scores[1])/2) > 1e-12 || math.Abs(row.PerTurn[0]-(per[0]+per[1])/2) > 1e-12 || len(row.PerTurnCI95) != 2 {
				t.Errorf("row %+v of scores %v", row, scores)
			}
			if row.Turns[1].CI95 != row.PerTurnCI95[1] || row.Transitions[0].Answers.CI95 == nil || row.Transitions[0].Votes.CI95 == nil {
				t.Errorf("no intervals over seeds in %+v", row)
			}
		}
	}
	if !found || !strings.Contains(result.Text, "supervised   trained") {
		t.Errorf("no row of the trained supervised team in\n%s", result.Text)
	}
	kept := stat(t, filepath.Join(dir, "reinforced-s1", "report.json"))
	if err := os.RemoveAll(filepath.Join(dir, "supervised-s2")); err != nil {
		t.Fatal(err)
	}
	again, err := train.Run(t.Context(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: dir, Resume: true, MaxUpdates: -1, Observe: func(train.Event) {}})
	if err != nil || again.Text != result.Text || stat(t, filepath.Join(dir, "reinforced-s1", "report.json")) != kept {
		t.Errorf("resumed: %v\n%s\nwas\n%s", err, again.Text, result.Text)
	}
	if _, err := train.Evaluate(t.Context(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: dir}); err == nil || !strings.Contains(err.Error(), "experiment") {
		t.Errorf("an experiment is evaluated as a run: %v", err)
	}
}

func stat(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime().UnixNano()
}

// TestExperimentGoesOn: a run that fails ends no other. The report is about the others, and the error says which failed and why.
func TestExperimentGoesOn(t *testing.T) {
	r, err := language.New().Parse("f", []byte(`name: x
preset: magrpo-tiny
reward: {source: user, user: {expression: "len(responses[0]) / 10000"}}
experiment:
  variants:
    broken: ["reward.user.expression=responses[len(responses)]"]
    whole: []
`), append([]string{"training.updates=1", "training.problems=2", "eval.baselines=[]"}, shortrun.Small...))
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	o := train.Options{Backend: native.Backend{}, Recipe: r, Dir: filepath.Join(t.TempDir(), "x"), MaxUpdates: -1}
	o.Observe = func(e train.Event) { notes = append(notes, e.Message) }
	result, err := train.Run(t.Context(), o)
	if err == nil || errors.As(err, new(*train.UserError)) || !strings.Contains(err.Error(), "1 of 2 runs failed") || !strings.Contains(err.Error(), "list index 2 out of range") {
		t.Fatalf("error %v", err)
	}
	if result == nil || !slices.Equal(result.Report.Runs, []string{"whole-s1"}) || !strings.Contains(result.Text, "Run broken-s1 failed") {
		t.Errorf("result %+v", result)
	}
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "run broken-s1 failed, and the others go on") }) {
		t.Errorf("notes %q", notes)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "broken-s1")); !os.IsNotExist(err) {
		t.Errorf("the run that was refused before it started has a folder: %v", err)
	}
}

// TestExperimentBetweenRuns: who interrupts an experiment before its next run has begun is told how to go on, and can.
func TestExperimentBetweenRuns(t *testing.T) {
	o := quick(t, "mutual-tiny", "experiment.variants={}", "experiment.seeds=[1, 2]", "training.updates=2")
	ctx, cancel := context.WithCancel(t.Context())
	o.Observe = func(e train.Event) {
		if strings.HasPrefix(e.Message, "run 2 of 2") {
			cancel()
		}
	}
	if _, err := train.Run(ctx, o); !errors.Is(err, train.ErrInterrupted) || !strings.Contains(err.Error(), "go on with") {
		t.Fatalf("error %v does not say how to go on", err)
	}
	o.Resume, o.Recipe, o.Observe, o.Language = true, nil, nil, o.Recipe.Language()
	if result, err := train.Run(t.Context(), o); err != nil || len(result.Report.Runs) != 2 {
		t.Fatalf("resumed: %v, error %v", result, err)
	}
}
