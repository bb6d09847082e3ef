package recipe_test

import (
	"strings"
	"testing"
)

// TestCounts: numbers of answers that nothing can hold or count are refused with a bound and what to lower; those of large runs are not.
func TestCounts(t *testing.T) {
	for _, c := range []struct{ sets, refused string }{
		{"training.problems=1000000000", "lower training.problems"},
		{"training.problems=200000", "answers in an update, expected at most 1e+06"},
		{"training.problems=100000", ""},
		{"group.size=1000000000", "expected 1 to 256"},
		{"group.size=256 limits.generations=1000000 training.problems=8192", "lower training.problems"},
		{"eval.problems=1000000000", "lower eval.problems"},
		{"eval.problems=1000000 eval.pass_at=[256]", "lower eval.problems"},
		{"eval.problems=1000000", ""},
		{"team.agents=1000000000", "expected 1 to 64"},
		{"team.turns=1000000000", "expected 1 to 4096"},
		{"training.updates=1000000", ""},
		{"training.updates=1000000000 group.buffer=16 group.buffer_across_updates=true", "lower training.updates"},
		{"training.updates=1000 group.buffer=16 group.buffer_across_updates=true", ""},
		{"task.train=1000000000", ""}, // of a data set, as many as there are
	} {
		_, err := lang.Load("magrpo-tiny", strings.Fields(c.sets))
		if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s: %v", c.sets, err)
		}
	}
}
