// Package learning_test shows that what is called training is: short seeded runs must raise the reward. It stands beside [parley/train]
// so that the time that tests of one package may take goes to each. Every algorithm, over three seeds, has the build tag long.
package learning_test

import (
	"fmt"
	"testing"

	"parley/train/shortrun"
)

// learns runs a recipe with a thread, and fails where the mean reward of its training rollouts does not rise by a margin.
func learns(t *testing.T, recipe string, seed int, margin float64, changes ...string) {
	t.Helper()
	sets := append(append([]string{fmt.Sprintf("seed=%d", seed), "engine.threads=1"}, shortrun.Small...), changes...)
	_, metrics := shortrun.Run(t, shortrun.Load(t, recipe, sets...))
	first, last := shortrun.Reward(metrics[:2]), shortrun.Reward(metrics[len(metrics)-3:])
	t.Logf("reward %.3f → %.3f", first, last)
	if last < first+margin {
		t.Errorf("reward went from %.3f to %.3f: want at least %+.2f", first, last, margin)
	}
}

// TestLearning: one of each family of learners raises the reward in a few updates.
func TestLearning(t *testing.T) {
	for _, c := range []struct {
		recipe string
		sets   []string
		margin float64
	}{
		{"magrpo-tiny", nil, 0.15},                               // compares answers of a group
		{"iac-tiny", nil, 0.15},                                  // learns a critic
		{"madpo-tiny", []string{"preference.candidates=8"}, 0.1}, // prefers one of a pair
	} {
		t.Run(c.recipe, func(t *testing.T) {
			t.Parallel()
			learns(t, c.recipe, 1, c.margin, append(c.sets, "training.updates=8", "training.problems=8", "eval.problems=1")...)
		})
	}
}
