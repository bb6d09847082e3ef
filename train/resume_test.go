package train_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/train"
	"parley/train/shortrun"
)

// twoBases are changes that give the second agent another base, with other shapes and another tokenizer.
var twoBases = []string{"models=[parley-base, testdata/tiny-base]", "ppo.epochs=1"}

var quick, stopAfter, runFile = shortrun.Quick, shortrun.StopAfter, shortrun.File

func metricsFile(t *testing.T, dir string) []byte { return runFile(t, dir, "metrics.jsonl") }

// TestBrokenCheckpoint: a damaged checkpoint is noticed, the one before is used, and the numbers stay the same.
// TestLongBrokenCheckpoint has more to learn in each update.
func TestBrokenCheckpoint(t *testing.T) {
	brokenCheckpoint(t, "training.problems=1", "ppo.epochs=1", "ppo.minibatches=1", "sampling.max_tokens=16")
}

func brokenCheckpoint(t *testing.T, sets ...string) {
	t.Helper()
	o := quick(t, "debate-sums", sets...)
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	want := metricsFile(t, o.Dir)
	newest := filepath.Join(o.Dir, "checkpoints", "000004")
	var damaged string
	filepath.WalkDir(newest, func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".safetensors") {
			damaged = path
		}
		return err
	})
	data, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-5] ^= 0x40
	if err := os.WriteFile(damaged, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var notes []string
	_, err = train.Run(context.Background(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: o.Dir, Resume: true, MaxUpdates: -1, Observe: func(e train.Event) {
		if e.Kind == train.Note {
			notes = append(notes, e.Message)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) == 0 || !strings.Contains(notes[0], "update 4") {
		t.Errorf("no word about the damaged checkpoint: %q", notes)
	}
	if !bytes.Equal(want, metricsFile(t, o.Dir)) {
		t.Error("metrics.jsonl differs after falling back")
	}
}

func TestResumeRefusesAnotherRecipe(t *testing.T) {
	o := quick(t, "single-tiny")
	o.MaxUpdates = 1
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	changed := quick(t, "single-tiny", "optimizer.lr=0.5")
	changed.Dir, changed.Resume = o.Dir, true
	_, err := train.Run(context.Background(), changed)
	var user *train.UserError
	if !errors.As(err, &user) || !strings.Contains(err.Error(), "lr") {
		t.Errorf("a changed recipe is taken: %v", err)
	}
}

// TestNotFinite: a diverging run stops, keeps its samples, and leaves the run resumable.
func TestNotFinite(t *testing.T) {
	o := quick(t, "debate-sums", "optimizer.lr=1e5", "optimizer.warmup=0")
	_, err := train.Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Fatalf("a learning rate of 1e5 ends with %v", err)
	}
	failed, _ := filepath.Glob(filepath.Join(o.Dir, "failed", "*.json"))
	if len(failed) != 1 || !strings.Contains(err.Error(), fmt.Sprintf("failed/%s", filepath.Base(failed[0]))) {
		t.Errorf("samples of the failed step: %v, error %v", failed, err)
	}
}

// TestInterruptNamesTheCheckpoint: what is said to be saved is what is there.
func TestInterruptNamesTheCheckpoint(t *testing.T) {
	for checkpoint, want := range map[int]string{1: "up to the last finished update is saved", 3: "up to the last checkpoint (training.checkpoint: every 3 updates) is saved"} {
		o := quick(t, "magrpo-tiny", "training.updates=7", fmt.Sprint("training.checkpoint=", checkpoint), "eval.baselines=[]")
		if _, err := train.Run(stopAfter(&o, train.Updated, 5), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a checkpoint every %d updates: the error is %v", checkpoint, err)
		}
		newest := filepath.Join(o.Dir, "checkpoints", fmt.Sprintf("%06d", 5-5%checkpoint))
		if _, err := os.Stat(newest); err != nil {
			t.Error(err)
		}
	}
}
