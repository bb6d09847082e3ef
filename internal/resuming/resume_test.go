package resuming_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/internal/shortrun"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
)

// secondBase are changes that give the second agent another base, with other shapes and another tokenizer.
var secondBase = []string{"models=[parley-base, ../../train/testdata/tiny-base]", "ppo.epochs=1"}

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
		{"two bases", "debate-sums", secondBase},
		{"middle of a buffer", "magrpo-tiny", []string{"group.buffer=7", "group.train_batch=2", "group.buffer_across_updates=true", "optimizer.lr=0.01"}},
		{"preferences", "madpo-tiny", []string{"preference.candidates=6", "preference.iterations=2", "preference.comparator=checkpoint"}},
		{"another model", "madpo-tiny", []string{"preference.candidates=6", "preference.iterations=1", "preference.comparator=model", "preference.model=../../train/testdata/tiny-base"}},
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
			whole := shortrun.Quick(t, c.recipe, c.sets...)
			if _, err := train.Run(context.Background(), whole); err != nil {
				t.Fatal(err)
			}
			for _, stop := range []struct {
				kind train.EventKind
				n    int
			}{{train.Measuring, 1}, {train.Updated, 1}, {train.Updated, 3}, {train.Measuring, 2}} {
				broken := shortrun.Quick(t, c.recipe, c.sets...)
				_, err := train.Run(shortrun.StopAfter(&broken, stop.kind, stop.n), broken)
				if !errors.Is(err, train.ErrInterrupted) || !strings.Contains(err.Error(), "parley train --resume "+broken.Dir) {
					t.Fatalf("interrupted run says %v", err)
				}
				threads := runtime.GOMAXPROCS(1)
				_, err = train.Run(context.Background(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: broken.Dir, Resume: true, MaxUpdates: -1})
				runtime.GOMAXPROCS(threads)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(shortrun.File(t, whole.Dir, "metrics.jsonl"), shortrun.File(t, broken.Dir, "metrics.jsonl")) {
					t.Errorf("stopped at %s %d: metrics.jsonl differs", stop.kind, stop.n)
				}
				if c.name == "stop texts" && !bytes.Contains(shortrun.File(t, whole.Dir, "metrics.jsonl"), []byte(`"stopped":`)) {
					t.Error("no answer ended at a stop text")
				}
				if c.name == "tree" && !bytes.Equal(shortrun.File(t, whole.Dir, runs.DiagnosisFile), shortrun.File(t, broken.Dir, runs.DiagnosisFile)) {
					t.Errorf("stopped at %s %d: %s differs", stop.kind, stop.n, runs.DiagnosisFile)
				}
			}
		})
	}
}
