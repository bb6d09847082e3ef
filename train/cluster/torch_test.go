//go:build torch

package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/engine/native"
	"parley/internal/turn"
	"parley/recipe/language"
	"parley/runs"
	"parley/serve/harness"
	"parley/train"
	"parley/train/shortrun"
)

// onCPU are the changes that let PyTorch compute a recipe, on the CPU. PARLEY_TORCH_PYTHON names the interpreter that has it.
func onCPU(t *testing.T, more ...string) []string {
	t.Helper()
	python := os.Getenv("PARLEY_TORCH_PYTHON")
	if python == "" {
		t.Fatal("PARLEY_TORCH_PYTHON names no interpreter with PyTorch and transformers")
	}
	return append([]string{"engine.torch.device=cpu", "engine.torch.python=" + python, "engine.threads=1"}, more...)
}

func torchRun(t *testing.T, recipe string, sets []string) train.Options {
	t.Helper()
	return train.Options{Backend: native.Backend{}, Recipe: shortrun.Load(t, recipe, sets...), Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1, Version: "test"}
}

// score is that of the trained team, and what training gained.
func score(t *testing.T, recipe string, sets []string) (score, gain float64) {
	t.Helper()
	result, err := train.Run(t.Context(), torchRun(t, recipe, sets))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]float64{}
	for _, r := range result.Report.Rows {
		rows[r.System] = r.Score
	}
	return rows["trained"], rows["trained"] - rows["off-the-shelf"]
}

// TestTorchLearns: a team with a joint reward, and a debate with critics, learn over PyTorch as much as over the embedded engine: the score lies where that
// of another of its seeds would be expected, with 95 %.
func TestTorchLearns(t *testing.T) {
	for recipe, sets := range map[string][]string{
		"magrpo-tiny": {"training.updates=8", "eval.problems=100", "eval.examples=0", "eval.baselines=[]"},
		"debate-sums": {"training.updates=4", "training.problems=16", "eval.problems=60", "eval.examples=0", "eval.baselines=[]"},
	} {
		if !turn.Has(recipe + " torch") {
			continue
		}
		t.Run(recipe, func(t *testing.T) {
			const n, quantile = 5, 2.776 // of Student's distribution with 4 degrees of freedom
			var sum, squares float64
			for seed := range n {
				s, _ := score(t, recipe, append([]string{fmt.Sprintf("seed=%d", seed+1)}, sets...))
				sum, squares = sum+s, squares+s*s
			}
			mean := sum / n
			apart := quantile * math.Sqrt((squares-n*mean*mean)/(n-1)*(1+1./n))
			got, gain := score(t, recipe, append(onCPU(t, "seed=6"), sets...))
			t.Logf("%.3f (gain %+.3f), embedded %.3f ± %.3f", got, gain, mean, apart)
			if math.Abs(got-mean) > apart || gain <= 0 {
				t.Errorf("scores %.3f after a gain of %.3f; the embedded engine %.3f ± %.3f", got, gain, mean, apart)
			}
		})
	}
}

// brief are runs of three updates.
var brief = []string{"training.updates=3", "training.problems=4", "eval.problems=4", "eval.examples=0", "eval.baselines=[]"}

// TestTorchInProgram: a team that works in a program trains over PyTorch, and each of its calls is learned from.
func TestTorchInProgram(t *testing.T) {
	o := torchRun(t, inProgram, onCPU(t, append(brief, "training.updates=2")...))
	o.Backend = harness.Backend{Backend: o.Backend}
	if _, err := train.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	lines := shortrun.Metrics(t, o.Dir)
	for _, m := range lines {
		if m.Harness == nil || m.FailedEpisodes != 0 {
			t.Errorf("update %d: %d episodes failed, of the program %+v", m.Update, m.FailedEpisodes, m.Harness)
		}
	}
	if len(lines) != 2 {
		t.Errorf("%d updates, want 2", len(lines))
	}
}

// torchDir turns the test binary into a process that trains in a folder.
const torchDir = "PARLEY_TEST_TORCH_IN"

// TestTorchChild is the process that TestTorchKilled kills. By itself it has nothing to do.
func TestTorchChild(t *testing.T) {
	dir := os.Getenv(torchDir)
	if dir == "" {
		return
	}
	o := torchRun(t, "magrpo-tiny", onCPU(t, brief...))
	o.Dir = dir
	if _, err := runs.Read(dir); err == nil {
		o.Recipe, o.Language, o.Resume = nil, language.New(), true
	}
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
}

// TestTorchKilled: kill -9 of the program, and of the worker below it, loses nothing: the run that goes on has the same metrics.jsonl, byte for byte. No worker
// outlives its program.
func TestTorchKilled(t *testing.T) {
	dir := t.TempDir()
	child := func(name string) *exec.Cmd {
		c := exec.Command(os.Args[0], "-test.run=^TestTorchChild$")
		c.Env = append(os.Environ(), torchDir+"="+filepath.Join(dir, name))
		return c
	}
	if out, err := child("whole").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := shortrun.File(t, filepath.Join(dir, "whole"), "metrics.jsonl")
	for name, worker := range map[string]bool{"program": false, "worker": true} {
		var said bytes.Buffer
		c := child(name)
		c.Stdout, c.Stderr = &said, &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "the first update", func() bool {
			lines, err := os.ReadFile(filepath.Join(dir, name, "metrics.jsonl"))
			return err == nil && bytes.Count(lines, []byte("\n")) > 0
		})
		workers := childrenOf(t, c.Process.Pid)
		if len(workers) != 1 {
			t.Fatalf("%d workers", len(workers))
		}
		victim := c.Process.Pid
		if worker {
			victim = workers[0]
		}
		if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil || worker && !strings.Contains(said.String(), "worker") {
			t.Errorf("%s was killed: %v\n%s", name, err, said.String())
		}
		await(t, "the end of the worker", func() bool { return syscall.Kill(workers[0], 0) != nil })
		if out, err := child(name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got := shortrun.File(t, filepath.Join(dir, name), "metrics.jsonl"); !bytes.Equal(got, want) {
			t.Errorf("%s was killed:\n%s\nunbroken:\n%s", name, got, want)
		}
	}
	var m train.Metrics
	if err := json.Unmarshal(want[:bytes.IndexByte(want, '\n')], &m); err != nil || m.Gap == nil || m.Gap.Tokens == 0 || m.Gap.Most > 1e-3 {
		t.Errorf("sampler and trainer: %+v, %v", m.Gap, err)
	}
	meta, err := runs.Read(filepath.Join(dir, "whole"))
	if err != nil || !strings.HasPrefix(meta.Kernels, "torch-") || !strings.HasSuffix(meta.Kernels, "-cpu-f32") || len(meta.Worker) != 64 {
		t.Errorf("kernels %q, worker %q, %v", meta.Kernels, meta.Worker, err)
	}
}

// await waits until something is so.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 12000 {
		if is() {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

// childrenOf are the processes that a process has started.
func childrenOf(t *testing.T, parent int) (list []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		text, _ := os.ReadFile(name) // it may be gone
		if _, rest, ok := strings.Cut(string(text), ") "); ok {
			if fields := strings.Fields(rest); fields[1] == strconv.Itoa(parent) && fields[0] != "Z" {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
				list = append(list, pid)
			}
		}
	}
	return list
}

// TestTorchElsewhere: a run goes from PyTorch to the embedded engine and back where that is accepted, a team is over both, and bases have a worker each.
func TestTorchElsewhere(t *testing.T) {
	o := torchRun(t, "magrpo-tiny", onCPU(t, brief...))
	o.MaxUpdates = 1
	torch := o.Recipe.Engine.Torch
	if _, err := train.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	o.Recipe, o.Language, o.Resume = nil, language.New(), true
	for updates, to := range []string{"", "cpu"} {
		o.Moved = []string{"engine.torch.device=" + to, "engine.torch.python=" + torch.Python}
		if to == "" {
			o.Moved = append(o.Moved[:1], "engine.torch.python=")
		}
		o.MaxUpdates, o.AcceptChanged = updates+2, false
		if _, err := train.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "kernels was") {
			t.Fatalf("to %q without leave: %v", to, err)
		}
		o.AcceptChanged = true
		if _, err := train.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		o.Moved, o.AcceptChanged = nil, false
	}
	meta, err := runs.Read(o.Dir)
	if err != nil || !strings.HasPrefix(meta.Kernels, "torch-") || len(meta.Changes) < 2 {
		t.Errorf("%q, %+v, %v", meta.Kernels, meta.Changes, err)
	}
	file := filepath.Join(t.TempDir(), "team.yaml")
	text := "name: team\npreset: chain-tiny\nteam: {agents: {writer: {engine: embedded}, critic: {}, editor: {model: parley-games}}}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	team := torchRun(t, file, onCPU(t, append([]string{"truncate=left"}, brief...)...)) // one base reads 256 tokens
	if _, err := train.Run(t.Context(), team); err != nil {
		t.Fatal(err)
	}
	if meta, err = runs.Read(team.Dir); err != nil || len(meta.Bases) != 3 || !strings.Contains(meta.Kernels, "-cpu-f32, ") {
		t.Errorf("bases %+v, %q, %v", meta.Bases, meta.Kernels, err)
	}
	names := []string{}
	for _, m := range shortrun.Metrics(t, team.Dir) {
		names = append(names, fmt.Sprint(m.Update))
	}
	if !slices.Equal(names, []string{"1", "2", "3"}) {
		t.Errorf("updates %v", names)
	}
}
