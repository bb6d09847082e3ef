package train_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"parley/recipe"
	"parley/runs"
	"parley/train"
)

// load returns a shipped recipe with changes.
func load(t *testing.T, name string, sets ...string) *recipe.Recipe {
	t.Helper()
	r, err := recipe.Load(name, sets)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// small are changes that make a shipped recipe a matter of seconds.
var small = []string{"eval.problems=16", "eval.examples=1", "eval.baselines=[]"}

// run trains a recipe in a folder of the test and returns its metrics.
func run(t *testing.T, r *recipe.Recipe) (*train.Result, []train.Metrics) {
	t.Helper()
	result, err := train.Run(context.Background(), train.Options{Recipe: r, Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return result, metricsOf(t, result.Dir)
}

func metricsOf(t *testing.T, dir string) []train.Metrics {
	t.Helper()
	var out []train.Metrics
	err := runs.ReadLines(dir, "metrics.jsonl", func(line []byte) error {
		var m train.Metrics
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		out = append(out, m)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// reward is the mean reward over agents in some updates.
func reward(updates []train.Metrics) float64 {
	sum, n := 0.0, 0.0
	for _, m := range updates {
		for _, r := range m.Reward {
			sum += r
			n++
		}
	}
	return sum / n
}

// TestLearning: every algorithm raises the mean reward of its training rollouts by a margin, on each of three seeds.
func TestLearning(t *testing.T) {
	for _, c := range []struct {
		recipe string
		sets   []string
		margin float64
	}{
		{"debate-sums", []string{"training.updates=8", "training.questions=32"}, 0.10},                  // MAPPO, two agents, two turns
		{"magrpo-tiny", []string{"training.updates=10", "training.questions=16"}, 0.10},                 // MAGRPO, aligned
		{"magrpo-tiny-cross", []string{"training.updates=10", "training.questions=16"}, 0.10},           // MAGRPO, cross
		{"single-tiny", []string{"training.updates=10", "training.questions=16", "group.size=8"}, 0.10}, // GRPO
	} {
		for seed := 1; seed <= 3; seed++ {
			t.Run(fmt.Sprintf("%s/seed%d", c.recipe, seed), func(t *testing.T) {
				sets := append(append([]string{fmt.Sprintf("seed=%d", seed)}, small...), c.sets...)
				_, metrics := run(t, load(t, c.recipe, sets...))
				first, last := reward(metrics[:2]), reward(metrics[len(metrics)-2:])
				t.Logf("reward %.3f → %.3f", first, last)
				if last < first+c.margin {
					t.Errorf("reward went from %.3f to %.3f: want at least %+.2f", first, last, c.margin)
				}
			})
		}
	}
}
