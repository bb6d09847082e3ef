package train_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"parley/train"
)

// childDir is the environment variable that turns the test binary into a process that trains in that folder.
const childDir = "PARLEY_TEST_TRAIN_IN"

// TestChild is the process that [TestKillAndResume] kills. By itself it has nothing to do.
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		return
	}
	o := killed(t)
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

func killed(t *testing.T) train.Options {
	return quick(t, "debate-sums", append(twoBases, "training.updates=5")...)
}

// TestKillAndResume kills a training process (of a team over two bases) at random moments, as kill -9 does, and lets another go on: metrics.jsonl ends
// up the same, byte for byte, as that of a run that nobody disturbed.
func TestKillAndResume(t *testing.T) {
	whole := killed(t)
	began := time.Now()
	if _, err := train.Run(context.Background(), whole); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	dir := filepath.Join(t.TempDir(), "killed")
	rng := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	for range 4 {
		child := childProcess(dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * float64(took)))
		child.Process.Kill()
		child.Wait()
	}
	if out, err := childProcess(dir).CombinedOutput(); err != nil {
		t.Fatalf("the last process: %v\n%s", err, out)
	}
	if !bytes.Equal(metricsFile(t, whole.Dir), metricsFile(t, dir)) {
		t.Errorf("metrics.jsonl of the killed run:\n%s\nof the unbroken one:\n%s", metricsFile(t, dir), metricsFile(t, whole.Dir))
	}
}

func childProcess(dir string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^TestChild$")
	c.Env = append(os.Environ(), childDir+"="+dir)
	return c
}
