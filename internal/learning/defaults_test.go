package learning_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"parley/engine/native"
	"parley/internal/shortrun"
	"parley/recipe/language"
	"parley/train"
)

// TestDefaultsTeach: a recipe of nothing but a name raises the reward of its training rollouts on each of three seeds.
func TestDefaultsTeach(t *testing.T) {
	for seed := 1; seed <= 3; seed++ {
		t.Run(fmt.Sprintf("seed%d", seed), func(t *testing.T) {
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
