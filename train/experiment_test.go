package train_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe"
	"parley/recipe/language"
	"parley/train"
	"parley/train/shortrun"
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
