package parley_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley"
	"parley/engine"
	"parley/engine/native"
	"parley/internal/usererror"
	"parley/model"
	"parley/task"
)

// small makes runs of seconds.
var small = parley.Set("training.updates=1", "training.problems=2", "eval.problems=2", "eval.baselines=[]")

// TestOpenIsARunsLoop: a loop of one's own gives the policies that a run gives, and the same rewards.
func TestOpenIsARunsLoop(t *testing.T) {
	ctx := t.Context()
	var ours []float64
	team, err := parley.Open(ctx, "magrpo-tiny", small)
	if err != nil {
		t.Fatal(err)
	}
	defer team.Close()
	episodes, err := team.Rollout(ctx, 0, team.Problems(0))
	if err != nil {
		t.Fatal(err)
	}
	stats, err := team.Learn(ctx, 0, episodes)
	if err != nil {
		t.Fatal(err)
	}
	ours = append(ours, stats.PolicyLoss, float64(stats.OptimizerSteps))
	var theirs []float64
	progress := parley.WithProgress(func(e parley.Event) {
		if e.Metrics != nil {
			theirs = append(theirs, e.Metrics.PolicyLoss, float64(e.Metrics.OptimizerSteps))
		}
	})
	if _, err := parley.Run(ctx, "magrpo-tiny", small, progress, parley.WithDir(filepath.Join(t.TempDir(), "run"))); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(ours, theirs) {
		t.Errorf("a loop of one's own has %v, a run %v", ours, theirs)
	}
}

// counted is the embedded engine, and counts how often it was opened.
type counted struct {
	native.Backend
	opened *int
}

func (c counted) Open(ctx context.Context, m *model.Model, o engine.Options) (engine.Engine, error) {
	*c.opened++
	return c.Backend.Open(ctx, m, o)
}

// TestWithEngine: the engine that is named is the one that is opened.
func TestWithEngine(t *testing.T) {
	opened := 0
	team, err := parley.Open(t.Context(), "magrpo-tiny", small, parley.WithEngine(counted{opened: &opened}))
	if err != nil {
		t.Fatal(err)
	}
	if err := team.Close(); err != nil || opened != 1 {
		t.Errorf("opened %d times, %v", opened, err)
	}
}

// TestMistakes: what cannot work is refused with what to do, and mistakes in recipes are told apart from failures.
func TestMistakes(t *testing.T) {
	ctx := t.Context()
	pay := func(context.Context, task.Problem, []string) (float64, error) { return 7, nil }
	for what, c := range map[string]struct {
		recipe string
		option parley.Option
		want   string
	}{
		"unknown recipe":    {"magrpo-tony", nil, `did you mean "magrpo-tiny"`},
		"unknown key":       {"magrpo-tiny", parley.Set("group.sizes=4"), `did you mean "group.size"`},
		"pairs":             {"madpo-tiny", parley.Set("eval.problems=2"), "use Run"},
		"no engine":         {"magrpo-tiny", parley.WithEngine(nil), "backend is nil"},
		"no range":          {"magrpo-tiny", parley.WithReward(pay, 1, 1), "range"},
		"task without Open": {"magrpo-tiny", parley.WithTask(task.Type{}), "NewTask"},
		"no problems":       {"magrpo-tiny", parley.WithTask(parley.NewTask("empty", nil, nil, pay, 0, 9)), "both are needed"},
	} {
		option := c.option
		if option == nil {
			option = small
		}
		if _, err := parley.Open(ctx, c.recipe, option); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", what, err, c.want)
		}
	}
	var user *usererror.Error
	if _, err := parley.Open(ctx, "magrpo-tiny", parley.Set("model=nowhere")); !errors.As(err, &user) {
		t.Errorf("a model that is nowhere: %v", err)
	}
	team, err := parley.Open(ctx, "magrpo-tiny", small, parley.WithReward(pay, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer team.Close()
	if _, err := team.Rollout(ctx, 0, team.Problems(0)); err == nil || !strings.Contains(err.Error(), "outside of the declared range [0, 1]") {
		t.Errorf("a reward of 7: %v", err)
	}
}
