package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/train/measure"
)

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
