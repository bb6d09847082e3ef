package train_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/internal/shortrun"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
)

// quick is a recipe that takes about a second.
func quick(t *testing.T, name string, sets ...string) train.Options {
	t.Helper()
	sets = append(append([]string{"training.updates=4", "training.problems=4", "task.train=100"}, shortrun.Small...), sets...)
	return train.Options{Backend: native.Backend{}, Recipe: shortrun.Load(t, name, sets...), Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1, Version: "test"}
}

// twoBases are changes that give the second agent another base, with other shapes and another tokenizer.
var twoBases = []string{"models=[parley-base, testdata/tiny-base]", "ppo.epochs=1"}

// stopAfter makes a run's context end when its n-th event of a kind arrives.
func stopAfter(o *train.Options, kind train.EventKind, n int) context.Context {
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

func metricsFile(t *testing.T, dir string) []byte { return runFile(t, dir, "metrics.jsonl") }

func runFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestResumeEqualsUnbroken: a run that is interrupted and resumed writes the same metrics.jsonl, byte for byte, with another
// number of threads, for both families of learners and for a team
// over two bases.
func TestResumeEqualsUnbroken(t *testing.T) {
	for _, c := range []struct {
		name, recipe string
		sets         []string
	}{
		{"debate", "debate-sums", nil},
		{"tree", "magrpo-tiny-cross", nil},
		{"two bases", "debate-sums", twoBases},
		{"middle of a buffer", "magrpo-tiny", []string{"group.buffer=7", "group.train_batch=2", "group.buffer_across_updates=true", "optimizer.lr=0.01"}},
		{"preferences", "madpo-tiny", []string{"preference.candidates=6", "preference.iterations=2", "preference.comparator=checkpoint"}},
		{"another model", "madpo-tiny", []string{"preference.candidates=6", "preference.iterations=1", "preference.comparator=model", "preference.model=testdata/tiny-base"}},
		{"stop texts", "debate-sums", []string{"training.problems=2", `sampling.stop=["=", "so"]`, "sampling.min_tokens=2"}},
		{"masked answers", "magrpo-tiny", []string{"sampling.max_tokens=10", "sampling.truncated=mask"}},
		{"cheap answers", "debate-sums", []string{"training.problems=2", "sampling.max_tokens=16", "sampling.truncated=penalty", "sampling.truncated_penalty=0.25"}},
		{"reward model", "marlhf-tiny", []string{"preference.candidates=4", "reward.model.problems=8", "preference.iterations=2"}},
		{"one agent after the other", "chain-tiny", []string{"training.problems=2", "group.size=2"}},
		{"middle of episodes in a buffer", "review-tiny", []string{"group.size=3", "group.buffer=7", "group.train_batch=2", "group.buffer_across_updates=true", "optimizer.lr=0.01"}},
		{"a tree of a workflow", "review-tiny", []string{"training.problems=2", "group.rollout=tree", "group.size=2"}},
		{"calls of tools", "tool-sums-tiny", []string{"training.problems=2", "group.size=2"}},
		{"calls of tools in a tree", "tool-sums-tiny", []string{"training.problems=2", "group.rollout=tree", "group.size=2"}},
		{"calls of tools in a debate", "debate-sums", []string{"training.problems=2", "team.tools.use=[calculator]", "team.tools.form=text", "team.tools.open=", "team.tools.close=="}},
		{"a program", "tournament-tiny", []string{"training.problems=2", "group.size=2"}},
		{"agents by themselves", "drmas-tiny", []string{"group.size=3", "loss.per=agents", "group.buffer=7", "group.buffer_across_updates=true"}},
		{"turns by themselves", "review-tiny", []string{"training.problems=2", "group.size=3", "credit.baseline=agent_turn", "credit.loo=episode", "loss.per=episodes"}},
		{"one message of finished episodes", "c3-tiny", []string{"group.fanout=[]", "group.replay=[3, 2]", "group.size=2"}},
		{"several agents one by one", "leader-tiny", []string{"training.problems=2", "group.rollout=c3", "group.fanout=[2, 1, 2, 1]"}},
		{"one of several candidates", "atgrpo-tiny", []string{"group.pick=draw"}},
		{"agents in turns", "ccpo-tiny", []string{"credit.alternate=1", "group.size=3", "credit.solo.lambda=0.2"}},
		{"influence and restarts", "drmamr-tiny", []string{"training.problems=2", "credit.influence.alpha=0.1", "credit.influence.beta=0.1", "credit.influence.restart=Answer"}},
		{"a role's past", "rae-tiny", []string{"group.size=1"}},
		{"opponents", "kuhn-selfplay-tiny", []string{"opponents.pool=2", "opponents.every=1", "training.checkpoint=1", "task.play_every=2", "group.size=3", "optimizer.lr=0.01"}},
		{"opponents between checkpoints", "tictactoe-selfplay-tiny", []string{"opponents.pool=1", "opponents.every=1", "training.checkpoint=3", "task.play_every=3", "task.games=6", "group.size=2", "optimizer.lr=0.01"}},
		{"full copies", "magrpo-tiny", []string{"policies.full=true", "optimizer.lr=0.001", "group.kl=0.05", "group.buffer=7", "group.train_batch=2", "group.buffer_across_updates=true"}},
		{"full copies with critics", "debate-sums", []string{"policies.full=true", "optimizer.lr=0.001", "training.problems=2", "ppo.epochs=1"}},
		{"a critic, then a policy", "sweet-tiny", []string{"task.train=4", "group.size=3", "sweet.pairs=best", "task.need=0", "sweet.critic.updates=3"}},
		{"sampled ahead", "magrpo-tiny", []string{"training.async=1", "optimizer.lr=0.01", "training.checkpoint=2"}},
		{"an actor-critic sampled ahead", "iac-tiny", []string{"training.async=1", "group.size=1", "team.turns=2", "group.buffer=3"}},
		{"actor-critic", "iac-tiny", []string{"group.size=1", "team.turns=2", "group.buffer=3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := quick(t, c.recipe, c.sets...)
			if _, err := train.Run(context.Background(), whole); err != nil {
				t.Fatal(err)
			}
			for _, stop := range []struct {
				kind train.EventKind
				n    int
			}{{train.Measuring, 1}, {train.Updated, 1}, {train.Updated, 3}, {train.Measuring, 2}} {
				broken := quick(t, c.recipe, c.sets...)
				_, err := train.Run(stopAfter(&broken, stop.kind, stop.n), broken)
				if !errors.Is(err, train.ErrInterrupted) || !strings.Contains(err.Error(), "parley train --resume "+broken.Dir) {
					t.Fatalf("interrupted run says %v", err)
				}
				threads := runtime.GOMAXPROCS(1)
				_, err = train.Run(context.Background(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: broken.Dir, Resume: true, MaxUpdates: -1})
				runtime.GOMAXPROCS(threads)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(metricsFile(t, whole.Dir), metricsFile(t, broken.Dir)) {
					t.Errorf("stopped at %s %d: metrics.jsonl differs", stop.kind, stop.n)
				}
				if c.name == "stop texts" && !bytes.Contains(metricsFile(t, whole.Dir), []byte(`"stopped":`)) {
					t.Error("no answer ended at a stop text")
				}
				if c.name == "tree" && !bytes.Equal(runFile(t, whole.Dir, runs.DiagnosisFile), runFile(t, broken.Dir, runs.DiagnosisFile)) {
					t.Errorf("stopped at %s %d: %s differs", stop.kind, stop.n, runs.DiagnosisFile)
				}
			}
		})
	}
}

// TestBrokenCheckpoint: a damaged checkpoint is noticed, the one before is used, and the numbers stay the same.
func TestBrokenCheckpoint(t *testing.T) {
	o := quick(t, "debate-sums")
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
