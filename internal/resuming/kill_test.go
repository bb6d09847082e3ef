// Package resuming_test interrupts runs and kills processes that train, and lets others go on. It stands beside [parley/train] so that the time that tests of one
// package may take goes to each.
package resuming_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"parley/serve/harness"
	"parley/train"
	"parley/train/kept"
	"parley/train/shortrun"
)

// The environment variables that turn the test binary into a process that trains in a folder, one of killed by its name.
const (
	childDir    = "PARLEY_TEST_TRAIN_IN"
	childRecipe = "PARLEY_TEST_RECIPE"
	childReport = "PARLEY_TEST_REPORT" // of an evaluation that keeps what it finishes in the folder; empty: it trains
)

// TestChild is the process that TestKillAndResume kills. By itself it has nothing to do.
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		return
	}
	o := killed(t, os.Getenv(childRecipe))
	if name := os.Getenv(childReport); name != "" {
		evaluateChild(t, o, dir, name)
		return
	}
	o.Dir = dir
	if _, err := os.Stat(filepath.Join(dir, "run.json")); err == nil {
		o.Recipe, o.Language, o.Resume = nil, o.Recipe.Language(), true
	} else if err := os.RemoveAll(dir); err != nil { // killed before there was a run
		t.Fatal(err)
	}
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
}

// inProgram is the recipe of a team that works in a program, which is killed with the run.
const inProgram = "../../examples/own-harness/recipe.yaml"

// killable are runs by their recipes that are killed in the middle.
var killable = map[string][]string{
	"debate-sums": append([]string{"training.updates=3", "eval.problems=4", "eval.every=2", "eval.panel=3"}, secondBase...),
	"collab-tiny": {"eval.problems=2"},
	"fuse-tiny":   {"task.train=16"},
	"malt-tiny":   {"training.problems=2", "group.size=2", "eval.passes=1", "eval.ablations=[]", "experiment.seeds=[]"},
	"mlpo-tiny":   {"task.train=12", "training.problems=2", "group.size=2"},
	"mutual-tiny": {"experiment.variants={}", "mutual.teacher_every=8"},
	"read-s-tiny": {"read.repeats=1"},
	"read-j-tiny": {"read.repeats=1"},
	inProgram:     {"training.updates=4", "training.problems=1", "group.size=2", "eval.every=1", "eval.panel=2"},
	"sweet-tiny":  {"task.train=4", "group.size=3", "sweet.pairs=best", "task.need=0", "sweet.critic.updates=3"},

	"corex-discuss-tiny": {"eval.problems=40"}, "corex-review-tiny": {"eval.problems=40"}, "corex-retrieve-tiny": {"eval.problems=40"}, "lessonl-tiny": {"eval.problems=40"},
}

func killed(t *testing.T, recipe string) train.Options {
	t.Helper()
	o := shortrun.Quick(t, recipe, killable[recipe]...)
	o.Backend = harness.Backend{Backend: o.Backend}
	return o
}

// TestKillAndResume kills a training process (of a team over two bases, and of a system with phases of its own) at a random moment, as kill -9 does, and lets
// another go on: metrics.jsonl ends up the same, byte for byte, as that of a run that nobody disturbed. TestLongKillAndResume does so with all systems.
func TestKillAndResume(t *testing.T) {
	killAndResume(t, "debate-sums", 1, "metrics.jsonl")
	killAndResume(t, "fuse-tiny", 1, "metrics.jsonl")
}

// TestKillAndResumeEvaluation kills the evaluation of a system of which nothing is trained: what another process finishes reports the same, byte for byte.
// TestLongKillAndResumeEvaluation does so with all of them.
func TestKillAndResumeEvaluation(t *testing.T) { killAndResumeEvaluation(t, "corex-review-tiny") }

func killAndResumeEvaluation(t *testing.T, recipe string) {
	t.Helper()
	dir := t.TempDir()
	want, got, kept := filepath.Join(dir, "whole.json"), filepath.Join(dir, "killed.json"), filepath.Join(dir, "kept")
	evaluateChild(t, killed(t, recipe), "", want)
	child := childProcess(kept, recipe, childReport+"="+got)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for range 3000 { // until something is kept, or the child is done
		if _, err := os.Stat(filepath.Join(kept, "evaluation.json")); err == nil {
			break
		}
		if _, err := os.Stat(got); err == nil {
			t.Fatal("nothing was kept")
		}
		time.Sleep(10 * time.Millisecond)
	}
	child.Process.Kill()
	child.Wait()
	if out, err := childProcess(kept, recipe, childReport+"="+got).CombinedOutput(); err != nil {
		t.Fatalf("the last process: %v\n%s", err, out)
	}
	if want, got := shortrun.File(t, dir, "whole.json"), shortrun.File(t, dir, "killed.json"); !bytes.Equal(want, got) {
		t.Errorf("the killed evaluation:\n%s\nthe unbroken one:\n%s", got, want)
	}
}

// evaluateChild evaluates a recipe, or goes on with what a process before it has kept in a folder, and writes the report to a file.
func evaluateChild(t *testing.T, o train.Options, dir, name string) {
	t.Helper()
	o.Dir, o.Kept, o.Language = "", dir, o.Recipe.Language()
	if kept.Is(dir) {
		o.Recipe, o.Resume = nil, true
	}
	text, err := report(context.Background(), t, o)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func killAndResume(t *testing.T, recipe string, kills int, kept string) {
	t.Helper()
	whole := killed(t, recipe)
	began := time.Now()
	if _, err := train.Run(context.Background(), whole); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	dir := filepath.Join(t.TempDir(), "killed")
	rng := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	for range kills {
		child := childProcess(dir, recipe)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * float64(took)))
		child.Process.Kill()
		child.Wait()
	}
	if out, err := childProcess(dir, recipe).CombinedOutput(); err != nil {
		t.Fatalf("the last process: %v\n%s", err, out)
	}
	if want, got := shortrun.File(t, whole.Dir, kept), shortrun.File(t, dir, kept); !bytes.Equal(want, got) {
		t.Errorf("%s of the killed run:\n%s\nof the unbroken one:\n%s", kept, got, want)
	}
}

func childProcess(dir, recipe string, more ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^TestChild$")
	c.Env = append(append(os.Environ(), childDir+"="+dir, childRecipe+"="+recipe), more...)
	return c
}
