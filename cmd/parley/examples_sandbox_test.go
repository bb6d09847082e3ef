//go:build sandbox

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/runs"
)

// TestSandboxExamples trains every project of examples for one small update, from copies of their folders. The verifier and two rewards are
// Python, and two of them run in the sandbox.
func TestSandboxExamples(t *testing.T) {
	work := t.TempDir()
	t.Setenv("PARLEY_RUNS", filepath.Join(work, "runs"))
	for _, folder := range exampleFolders(t) {
		name := filepath.Base(folder)
		if name == "textarena" || name == "tau2" { // they need what others have written: CI's step worlds trains them
			continue
		}
		t.Run(name, func(t *testing.T) {
			project := filepath.Join(work, name)
			if err := os.CopyFS(project, os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
			switch name {
			case "two-bases":
				makeBase(t, project, "second", "second-base-s1", "second")
			case "json-debate":
				makeBase(t, project, "warm-up", "json-warm-up-s1", "base")
			}
			report := trainOnce(t, filepath.Join(project, "recipe.yaml"))
			if report.Updates != 1 || len(report.Rows) < 2 {
				t.Errorf("the report has %d updates and %d rows", report.Updates, len(report.Rows))
			}
		})
	}
}

// TestSandboxExampleRewards checks what the READMEs say of the responses in responses.jsonl: the first ones earn all that can be earned, the second
// ones less than half of it.
func TestSandboxExampleRewards(t *testing.T) {
	for name, most := range map[string]float64{"code-pair": 4, "own-team": 1, "summary-review": 1, "three-roles": 1} {
		folder := filepath.Join("..", "..", "examples", name)
		out := succeeds(t, "reward", filepath.Join(folder, "recipe.yaml"), "--in", filepath.Join(folder, "responses.jsonl"))
		var rewards []float64
		for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
			var answer struct{ Reward float64 }
			if err := dec.Decode(&answer); err != nil {
				t.Fatal(err)
			}
			rewards = append(rewards, answer.Reward)
		}
		if len(rewards) != 2 || rewards[0] != most || rewards[1] >= most/2 {
			t.Errorf("%s: rewards %v, want %v and less than half of it", name, rewards, most)
		}
	}
}

// makeBase does what an example's README says of the model that its recipe has for a base.
func makeBase(t *testing.T, project, recipe, run, base string) {
	t.Helper()
	base = filepath.Join(project, base)
	if err := os.RemoveAll(base); err != nil { // a reader's own
		t.Fatal(err)
	}
	trainOnce(t, filepath.Join(project, recipe+".yaml"))
	succeeds(t, "run", "export", run, "--merged", "--out", base)
}

// trainOnce trains a recipe for one small update.
func trainOnce(t *testing.T, recipe string) (report runs.Report) {
	t.Helper()
	out := succeeds(t, "train", recipe, "--max-updates", "1", "--set", "training.problems=2", "--set", "eval.problems=2", "--json")
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// succeeds runs parley and returns what it printed.
func succeeds(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), args, os.Stdin, &stdout, &stderr); code != 0 {
		t.Fatalf("parley %q: exit code %d, %s", args, code, stderr.String())
	}
	return stdout.Bytes()
}
