package train_test

import (
	"context"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs/verify"
	"parley/train"
)

// verified looks at a run.
func verified(t *testing.T, dir string, update int) *verify.Verdict {
	t.Helper()
	v, err := train.Verify(context.Background(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: dir}, update)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A verifiable run is one that is verified.
type verifiable struct {
	recipe string
	sets   []string
	update int // whose iteration or buffer is worth a look; 0: the last
}

// TestVerify: an update that is learned again from its episodes, also in the middle of a buffer, gives the same numbers and the same policies.
// TestLongVerify does so with every kind of learner, and where an iteration of preferences begins.
func TestVerify(t *testing.T) {
	verifiesAgain(t, map[string]verifiable{
		"middle of a buffer": {"magrpo-tiny", []string{"group.buffer=7", "group.train_batch=2", "group.buffer_across_updates=true", "optimizer.lr=0.01"}, 0},
	})
}

func verifiesAgain(t *testing.T, runs map[string]verifiable) {
	t.Helper()
	for name, c := range runs {
		t.Run(name, func(t *testing.T) {
			o := quick(t, c.recipe, append([]string{"training.keep=4"}, c.sets...)...)
			if _, err := train.Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			v := verified(t, o.Dir, c.update)
			again := strings.Join(v.Checked, "\n")
			if !v.OK || !strings.Contains(again, "the same numbers") || !strings.Contains(again, "byte for byte") {
				t.Errorf("%+v", v)
			}
			if name == "a run inside a run" && !strings.Contains(again, "trained-single: update 2, learned again from its episodes: the same numbers") {
				t.Errorf("the run inside was not looked at: %q", again)
			}
		})
	}
}
