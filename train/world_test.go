package train_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/engine/native"
	"parley/train"
	"parley/train/shortrun"
)

// worldRecipe is a team of two that acts in an environment of the user's own.
const worldRecipe = `
name: own-world
task: {name: environment, environment: {python: world.py, isolated: false, seconds: 60}, path: items.jsonl}
team:
  protocol: workflow
  agents: {north: {}, south: {}}
  workflow:
    - repeat: 2
      steps:
        - {ask: [north, south], prompt: "{{.Observation}}"}
        - {act: [north, south]}
  answer: {joint: [north, south]}
reward: {source: joint}
sampling: {max_tokens: 6}
algorithm: magrpo
group: {rollout: episodes, size: 4, discount: 1}
training: {updates: 2, problems: 4}
eval: {problems: 3, baselines: []}
`

// inWorld is a run in an environment, which is Python.
func inWorld(t *testing.T, world string, sets ...string) train.Options {
	t.Helper()
	dir := t.TempDir()
	items := ""
	for _, q := range []string{"12+7", "30-4", "18+5", "9+9", "40-8", "6+6", "21-3", "14+8", "25-6", "11+2"} {
		items += `{"question":"` + q + `"}` + "\n"
	}
	for name, text := range map[string]string{"recipe.yaml": worldRecipe, "world.py": world, "items.jsonl": items} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := shortrun.Load(t, filepath.Join(dir, "recipe.yaml"), sets...)
	return train.Options{Backend: native.Backend{}, Recipe: r, Dir: filepath.Join(dir, "run"), MaxUpdates: -1}
}

// fragile is an environment that dies of some words in training.
const fragile = `
def reset(item):
    return {"state": [0, item["id"]], "observations": "Question: " + item["question"]}

def step(state, actions):
    n, id = state
    if id.startswith("train") and n == 1 and len(actions["north"]) % 3 == 0:
        raise ValueError("the ice broke")
    return {"state": [n + 1, id], "observations": "again", "rewards": (len(actions["south"]) % 5) / 10}
`

// TestFailedEpisodes: where some of a problem's episodes fail, metrics, notes and report say it, and the others are learned from.
func TestFailedEpisodes(t *testing.T) {
	o := inWorld(t, fragile, "training.failed_share=1")
	problems, episodes, notes := 0, 0, 0
	reasons := map[string]int{}
	o.Observe = func(e train.Event) {
		if _, why, is := strings.Cut(e.Message, "nothing is learned from "); is {
			if notes++; !strings.Contains(why, "environment, turn 2, after north, south: ") || !strings.Contains(why, "the ice broke") || !strings.Contains(why, "of the 4 episodes of train-") {
				t.Errorf("note %q", e.Message)
			}
		}
		if e.Metrics != nil {
			problems, episodes = problems+e.Metrics.Failed, episodes+e.Metrics.FailedEpisodes
			for r, n := range e.Metrics.FailedReasons {
				reasons[r] += n
			}
		}
	}
	result, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if episodes <= 4*problems || episodes >= 32 || notes == 0 {
		t.Fatalf("%d episodes and all of %d problems failed, with %d notes: the test tells nothing", episodes, problems, notes)
	}
	if want := map[string]int{"ValueError: the ice broke": episodes}; !maps.Equal(reasons, want) {
		t.Errorf("reasons %v, want %v", reasons, want)
	}
	r := result.Report
	if r.Failed != problems || r.FailedEpisodes != episodes || !maps.Equal(r.FailedReasons, reasons) || !strings.Contains(result.Text, "episodes of training that could not be scored") {
		t.Errorf("report: %d problems, %d episodes, %v", r.Failed, r.FailedEpisodes, r.FailedReasons)
	}
}

// TestFailedEpisodesEnd: more of them than training.failed_share end the run, in trees and in whole episodes, with the reason.
func TestFailedEpisodesEnd(t *testing.T) {
	for _, sets := range [][]string{nil, {"group.rollout=tree", "group.size=2"}} {
		_, err := train.Run(t.Context(), inWorld(t, fragile, append(sets, "training.failed_share=0.01")...))
		if err == nil || !strings.Contains(err.Error(), "the share that training.failed_share allows, 0.01; the first, train-") || !strings.Contains(err.Error(), "the ice broke") {
			t.Errorf("%v: %v", sets, err)
		}
	}
}

// TestStopAtReset: whoever ends a run does not wait for an environment that hangs before the first prompt is known.
func TestStopAtReset(t *testing.T) {
	dir := t.TempDir()
	began := filepath.Join(dir, "began")
	o := inWorld(t, fmt.Sprintf("import time\ndef reset(item):\n    open(%q, 'w')\n    time.sleep(3600)\ndef step(state, actions): pass\n", began), "task.environment.seconds=3600")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(began); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := train.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// remembering is an environment that is no pure function: what it says depends on how often it was called.
const remembering = `
calls = 0

def reset(item):
    return {"observations": "Question: " + item["question"]}

def step(state, actions):
    global calls
    calls += 1
    return {"observations": "call %d" % calls, "rewards": (len(actions["south"]) % 5) / 10}
`

// TestTrialOfReset: an environment that cannot begin is said before anything runs.
func TestTrialOfReset(t *testing.T) {
	_, err := train.Run(t.Context(), inWorld(t, "def reset(item):\n    return {\"state\": item[\"walls\"], \"observations\": \"x\"}\ndef step(state, actions): pass\n"))
	if err == nil || !strings.Contains(err.Error(), "task.environment: the trial of reset with problem ") || !strings.Contains(err.Error(), "KeyError: 'walls'") {
		t.Error(err)
	}
}
