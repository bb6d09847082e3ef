package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/task"
	"parley/train/measure"
)

// TestOrder: every epoch deals every problem once, in another order, the same for the same seed.
func TestOrder(t *testing.T) {
	problems := make([]task.Problem, 10)
	for i := range problems {
		problems[i].ID = string(rune('a' + i))
	}
	o := &order{problems: problems, perUpdate: 4, seed: 3}
	var dealt []string
	for u := range 5 {
		for _, p := range o.batch(u) {
			dealt = append(dealt, p.ID)
		}
	}
	for epoch := range 2 {
		seen := map[string]bool{}
		for _, id := range dealt[epoch*10 : epoch*10+10] {
			seen[id] = true
		}
		if len(seen) != 10 {
			t.Errorf("epoch %d deals %v", epoch, dealt[epoch*10:epoch*10+10])
		}
	}
	if reflect.DeepEqual(dealt[:10], dealt[10:]) {
		t.Error("two epochs have one order")
	}
	again := &order{problems: problems, perUpdate: 4, seed: 3}
	if got := again.batch(3); got[0].ID != dealt[12] {
		t.Error("a batch depends on the batches before")
	}
}

func TestAffordable(t *testing.T) {
	for _, c := range []struct {
		budget, each float64
		want         int
	}{{100, 25, 4}, {100, 30, 3}, {100, 40, 3}, {10, 100, 1}, {10, 0, 10}} {
		if got := measure.Affordable(c.budget, c.each); got != c.want {
			t.Errorf("%g tokens at %g each buy %d answers, want %d", c.budget, c.each, got, c.want)
		}
	}
}

// TestMemoryIsRefusedBeforeAnythingStarts: a recipe above its limit says what it needs and leaves no folder.
func TestMemoryIsRefusedBeforeAnythingStarts(t *testing.T) {
	r, err := lang.Load("debate-sums", []string{"memory=10MiB"})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	_, err = Run(context.Background(), Options{Backend: native.Backend{}, Recipe: r, Dir: dir, MaxUpdates: -1})
	var user *UserError
	if !errors.As(err, &user) || !strings.Contains(err.Error(), "more than the 10 MiB that memory allows") {
		t.Errorf("a recipe that needs more than 10 MiB is started: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused run leaves a folder: %v", err)
	}
}
