//go:build long

package learning_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"parley/engine/native"
	"parley/internal/turn"
	"parley/recipe/language"
	"parley/train"
	"parley/train/shortrun"
)

// TestLongLearning: every algorithm raises the mean reward of its training rollouts by a margin, on each of three seeds, in three landings. Runs
// side by side with a thread each take less time than one after the other with all threads.
func TestLongLearning(t *testing.T) {
	for _, c := range []struct {
		recipe string
		sets   []string
		margin float64
	}{
		{"debate-sums", []string{"training.updates=12", "training.problems=24", "optimizer.decay=none", "optimizer.warmup=2"}, 0.10}, // MAPPO, two agents, two turns
		{"magrpo-tiny", []string{"training.updates=15"}, 0.40},                                                                       // MAGRPO, aligned; reward from 0 to 2
		{"magrpo-tiny-cross", []string{"training.updates=15"}, 0.40},                                                                 // MAGRPO, cross
		{"iac-tiny", []string{"training.updates=12"}, 0.40},                                                                          // critic of its own
		{"maac-tiny", []string{"training.updates=12"}, 0.40},                                                                         // central critic
		{"madpo-tiny", []string{"training.updates=12"}, 0.30},                                                                        // pairs of joint responses
		{"chain-tiny", []string{"training.updates=16"}, 0.04},                                                                        // whole episodes of a workflow; one of three turns has a reward
		{"tool-sums-tiny", []string{"training.updates=16"}, 0.04},                                                                    // with results between the tokens that are learned from
		{"single-tiny", []string{"training.updates=20", "group.size=8", "optimizer.lr=0.003"}, 0.20},                                 // GRPO
	} {
		for seed := 1; seed <= 3; seed++ {
			name := fmt.Sprintf("%s/seed%d", c.recipe, seed)
			if !turn.Has(name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				learns(t, c.recipe, seed, c.margin, c.sets...)
			})
		}
	}
}

// TestLongRewardModelTeaches: a team that sees only the scores of a reward model gets better at the task itself.
func TestLongRewardModelTeaches(t *testing.T) {
	for seed := 1; seed <= 3; seed++ {
		name := fmt.Sprintf("reward model/seed%d", seed)
		if !turn.Has(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _ := shortrun.Run(t, shortrun.Load(t, "marlhf-tiny", fmt.Sprintf("seed=%d", seed), "engine.threads=1", "training.updates=12", "reward.model.problems=100",
				"eval.problems=64", "eval.baselines=[]", "eval.examples=0"))
			t.Logf("gain %+.3f", result.Report.Gain)
			if result.Report.Gain < 0.1 {
				t.Errorf("gain %+.3f of the task's reward, want at least 0.1", result.Report.Gain)
			}
		})
	}
}

// TestLongDefaultsTeach: a recipe of nothing but a name raises the reward of its training rollouts on each of three seeds.
func TestLongDefaultsTeach(t *testing.T) {
	for seed := 1; seed <= 3; seed++ {
		name := fmt.Sprintf("defaults/seed%d", seed)
		if !turn.Has(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := language.New().Parse("bare", []byte("name: x\n"), []string{fmt.Sprintf("seed=%d", seed), "engine.threads=1", "training.updates=10", "eval.problems=1", "eval.examples=0"})
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "run")
			if _, err := train.Run(t.Context(), train.Options{Backend: native.Backend{}, Recipe: r, Dir: dir, MaxUpdates: -1}); err != nil {
				t.Fatal(err)
			}
			metrics := shortrun.Metrics(t, dir)
			first, last := shortrun.Reward(metrics[:3]), shortrun.Reward(metrics[len(metrics)-3:])
			t.Logf("reward %.3f → %.3f", first, last)
			if last < first+0.05 {
				t.Errorf("reward went from %.3f to %.3f: want at least +0.05", first, last)
			}
		})
	}
}
