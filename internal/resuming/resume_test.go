package resuming_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/internal/turn"
	"parley/recipe/language"
	"parley/runs/store"
	"parley/train"
	"parley/train/shortrun"
)

// secondBase are changes that give the second agent another base, with other shapes and another tokenizer.
var secondBase = []string{"models=[parley-base, ../../train/testdata/tiny-base]", "ppo.epochs=1"}

// A resumed run is one that is interrupted and goes on: a recipe with changes.
type resumed struct {
	name, recipe string
	sets         []string
}

// TestResumeEqualsUnbroken: a run that is interrupted and resumed writes the same metrics.jsonl, byte for byte, with another number of threads: for each
// family of learners, and for a team over two bases. The others are in TestLongResumeEqualsUnbroken.
func TestResumeEqualsUnbroken(t *testing.T) {
	for i, c := range []resumed{
		{"tree", "magrpo-tiny-cross", nil},
		{"two bases", "debate-sums", append([]string{"training.problems=4"}, secondBase...)},
		{"middle of a buffer", "magrpo-tiny", []string{"group.buffer=7", "group.train_batch=2", "group.buffer_across_updates=true", "optimizer.lr=0.01"}},
		{"preferences", "madpo-tiny", []string{"training.updates=4", "preference.candidates=6", "preference.iterations=2", "preference.comparator=checkpoint"}},
		{"opponents", "kuhn-selfplay-tiny", []string{"opponents.pool=2", "opponents.every=1", "training.checkpoint=1", "task.play_every=2", "group.size=3", "optimizer.lr=0.01"}},
		{"sampled ahead", "magrpo-tiny", []string{"training.async=1", "optimizer.lr=0.01", "training.checkpoint=2"}},
		{"panel", "magrpo-tiny", []string{"eval.every=2", "eval.panel=3", "optimizer.lr=0.01"}},
		{"actor-critic", "iac-tiny", []string{"group.size=1", "team.turns=2", "group.buffer=3"}},
	} {
		if !turn.Share(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			c.sets = append([]string{"training.updates=3", "training.problems=2", "eval.problems=4"}, c.sets...)
			c.equalsUnbroken(t)
		})
	}
}

// stops are where a run is interrupted: events of the process that began it, and of each that goes on with it.
var stops = []struct {
	kind train.EventKind
	n    int
}{{train.Measuring, 1}, {train.Updated, 1}, {train.Updated, 2}, {train.Measuring, 1}}

// equalsUnbroken runs the recipe, and again in processes of which each goes on where the one before it was interrupted.
func (c resumed) equalsUnbroken(t *testing.T) {
	whole := shortrun.Quick(t, c.recipe, c.sets...)
	if _, err := train.Run(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	broken := shortrun.Quick(t, c.recipe, c.sets...)
	all := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(all)
	for i, stop := range stops {
		runtime.GOMAXPROCS(1 + i%2*(all-1))
		_, err := train.Run(shortrun.StopAfter(&broken, stop.kind, stop.n), broken)
		if !errors.Is(err, train.ErrInterrupted) || !strings.Contains(err.Error(), "parley train --resume "+broken.Dir) {
			t.Fatalf("stopped at %s %d: an interrupted run says %v", stop.kind, stop.n, err)
		}
		broken = train.Options{Backend: native.Backend{}, Language: language.New(), Dir: broken.Dir, Resume: true, MaxUpdates: -1}
	}
	if _, err := train.Run(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shortrun.File(t, whole.Dir, "metrics.jsonl"), shortrun.File(t, broken.Dir, "metrics.jsonl")) {
		t.Error("metrics.jsonl differs")
	}
	if c.name == "panel" {
		for _, name := range []string{"off-the-shelf-000000", "panel-000002", "panel-000003", "trained-000003"} {
			name = "evaluation/" + name + ".jsonl.zst"
			if !bytes.Equal(shortrun.File(t, whole.Dir, name), shortrun.File(t, broken.Dir, name)) {
				t.Errorf("%s differs", name)
			}
		}
	}
	if c.name == "stop texts" && !bytes.Contains(shortrun.File(t, whole.Dir, "metrics.jsonl"), []byte(`"stopped":`)) {
		t.Error("no answer ended at a stop text")
	}
	if c.name == "tree" && !bytes.Equal(shortrun.File(t, whole.Dir, store.DiagnosisFile), shortrun.File(t, broken.Dir, store.DiagnosisFile)) {
		t.Errorf("%s differs", store.DiagnosisFile)
	}
}
