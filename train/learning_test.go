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
// Runs side by side with a thread each take less time than one after the other with all threads.
func TestLearning(t *testing.T) {
	for _, c := range []struct {
		recipe string
		sets   []string
		margin float64
	}{
		{"debate-sums", []string{"training.updates=12", "training.questions=24", "optimiser.decay=none", "optimiser.warmup=2"}, 0.10}, // MAPPO, two agents, two turns
		{"magrpo-tiny", []string{"training.updates=15"}, 0.40},                                                                        // MAGRPO, aligned; reward from 0 to 2
		{"magrpo-tiny-cross", []string{"training.updates=15"}, 0.40},                                                                  // MAGRPO, cross
		{"iac-tiny", []string{"training.updates=12"}, 0.40},                                                                           // critic of its own
		{"maac-tiny", []string{"training.updates=12"}, 0.40},                                                                          // central critic
		{"madpo-tiny", []string{"training.updates=12"}, 0.30},                                                                         // pairs of joint responses
		{"single-tiny", []string{"training.updates=20", "group.size=8", "optimiser.lr=0.003"}, 0.20},                                  // GRPO
	} {
		for seed := 1; seed <= 3; seed++ {
			t.Run(fmt.Sprintf("%s/seed%d", c.recipe, seed), func(t *testing.T) {
				t.Parallel()
				sets := append(append([]string{fmt.Sprintf("seed=%d", seed), "engine.threads=1"}, small...), c.sets...)
				_, metrics := run(t, load(t, c.recipe, sets...))
				first, last := reward(metrics[:2]), reward(metrics[len(metrics)-3:])
				t.Logf("reward %.3f → %.3f", first, last)
				if last < first+c.margin {
					t.Errorf("reward went from %.3f to %.3f: want at least %+.2f", first, last, c.margin)
				}
			})
		}
	}
}

// TestRewardModelTeaches: a team that sees only the scores of a reward model gets better at the task itself.
func TestRewardModelTeaches(t *testing.T) {
	for seed := 1; seed <= 3; seed++ {
		t.Run(fmt.Sprintf("seed%d", seed), func(t *testing.T) {
			t.Parallel()
			result, _ := run(t, load(t, "marlhf-tiny", fmt.Sprintf("seed=%d", seed), "engine.threads=1", "training.updates=12", "reward.model.items=100",
				"eval.problems=64", "eval.baselines=[]", "eval.examples=0"))
			t.Logf("gain %+.3f", result.Report.Gain)
			if result.Report.Gain < 0.1 {
				t.Errorf("gain %+.3f of the task's reward, want at least 0.1", result.Report.Gain)
			}
		})
	}
}

// TestTreesAndChains: groups over several turns train as trees (with early termination) and as best-of-group chains, and
// their costs are counted as they are.
func TestTreesAndChains(t *testing.T) {
	for _, c := range []struct {
		name        string
		sets        []string
		generations int // of 2 problems
	}{
		{"tree", []string{"group.size=2"}, 2 * 2 * 2 * (1 + 2)},
		{"cross tree", []string{"group.size=2", "group.joint=cross", "group.kl=0.01"}, 2 * 2 * 2 * (1 + 4)},
		{"chain", []string{"group.rollout=chain", "group.turn_weights=[1.2, 0.8]"}, 2 * 2 * 4 * 2},
		{"tree that ends at once", []string{"group.terminate=-1"}, 2 * 2 * 4},
		{"buffers", []string{"group.buffer=3", "group.train_batch=2"}, 2 * 2 * 4 * (1 + 4)},
	} {
		t.Run(c.name, func(t *testing.T) {
			sets := append([]string{"team.turns=2", "training.updates=1", "training.questions=2", "task.train=20", "eval.problems=2", "policies.sharing=per-agent"}, c.sets...)
			result, metrics := run(t, load(t, "magrpo-tiny", sets...))
			m := metrics[0]
			if m.Generations != c.generations {
				t.Errorf("%d generations, want %d", m.Generations, c.generations)
			}
			if m.Steps == 0 || len(m.GradNorm) != 2 {
				t.Errorf("%d optimiser steps of %d policies", m.Steps, len(m.GradNorm))
			}
			if len(result.Report.Rows[0].PerTurn) != 2 {
				t.Errorf("the report has turns %v", result.Report.Rows[0].PerTurn)
			}
		})
	}
}
