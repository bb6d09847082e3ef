package shortrun

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"parley/engine/native"
	"parley/train"
)

// Quick is a run of four updates of a shipped recipe, with further changes, in a folder of the test.
func Quick(t testing.TB, name string, sets ...string) train.Options {
	t.Helper()
	sets = append(append([]string{"training.updates=4", "training.problems=4", "task.train=100"}, Small...), sets...)
	return train.Options{Backend: native.Backend{}, Recipe: Load(t, name, sets...), Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1, Version: "test"}
}

// StopAfter makes a run's context end when its n-th event of a kind arrives.
func StopAfter(o *train.Options, kind train.EventKind, n int) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	o.Observe = func(e train.Event) {
		if e.Kind == kind {
			if n--; n == 0 {
				cancel()
			}
		}
	}
	return ctx
}

// File reads a file of a run.
func File(t testing.TB, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
