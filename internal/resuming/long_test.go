//go:build long

package resuming_test

import (
	"testing"

	"parley/internal/turn"
)

// TestLongResumeEqualsUnbroken: as TestResumeEqualsUnbroken, for everything of which a run can be in the middle.
func TestLongResumeEqualsUnbroken(t *testing.T) {
	for _, c := range []resumed{
		{"debate", "debate-sums", nil},
		{"another model", "madpo-tiny", []string{"preference.candidates=6", "preference.iterations=1", "preference.comparator=model", "preference.model=../../train/testdata/tiny-base"}},
		{"stop texts", "debate-sums", []string{"training.problems=2", `sampling.stop=["=", "so"]`, "sampling.min_tokens=2"}},
		{"masked answers", "magrpo-tiny", []string{"sampling.max_tokens=10", "sampling.truncated=mask"}},
		{"cheap answers", "debate-sums", []string{"training.problems=2", "sampling.max_tokens=16", "sampling.truncated=penalty", "sampling.truncated_penalty=0.25"}},
		{"reward model", "marlhf-tiny", []string{"preference.candidates=4", "reward.model.problems=8", "preference.iterations=2"}},
		{"one agent after the other", "chain-tiny", []string{"training.problems=2", "group.size=2"}},
		{"middle of episodes in a buffer", "review-tiny", []string{"group.size=3", "group.buffer=7", "group.train_batch=2", "group.buffer_across_updates=true", "optimizer.lr=0.01"}},
		{"a tree of a workflow", "review-tiny", []string{"training.problems=2", "group.rollout=tree", "group.size=2"}},
		{"calls of tools in a tree", "tool-sums-tiny", []string{"training.problems=2", "group.rollout=tree", "group.size=2"}},
		{"a program", "tournament-tiny", []string{"training.problems=2", "group.size=2"}},
		{"agents by themselves", "drmas-tiny", []string{"group.size=3", "loss.per=agents", "group.buffer=7", "group.buffer_across_updates=true"}},
		{"turns by themselves", "review-tiny", []string{"training.problems=2", "group.size=3", "credit.baseline=agent_turn", "credit.loo=episode", "loss.per=episodes"}},
		{"several agents one by one", "leader-tiny", []string{"training.problems=2", "algorithm=c3", "group.rollout=tree", "group.fanout=[2, 1, 2, 1]"}},
		{"one of several candidates", "atgrpo-tiny", []string{"group.pick=draw"}},
		{"agents in turns", "ccpo-tiny", []string{"credit.alternate=1", "group.size=3", "credit.solo.lambda=0.2"}},
		{"influence and restarts", "drmamr-tiny", []string{"training.problems=2", "credit.influence.alpha=0.1", "credit.influence.beta=0.1", "credit.influence.restart=Answer"}},
		{"a role's past", "rae-tiny", []string{"group.size=1"}},
		{"opponents between checkpoints", "tictactoe-selfplay-tiny", []string{"opponents.pool=1", "opponents.every=1", "training.checkpoint=3", "task.play_every=3", "task.games=6", "group.size=2", "optimizer.lr=0.01"}},
		{"full copies", "magrpo-tiny", []string{"policies.full=true", "optimizer.lr=0.001", "group.kl=0.05", "group.buffer=7", "group.train_batch=2", "group.buffer_across_updates=true"}},
		{"full copies with critics", "debate-sums", []string{"policies.full=true", "optimizer.lr=0.001", "training.problems=2", "ppo.epochs=1"}},
		{"a critic, then a policy", "sweet-tiny", []string{"task.train=4", "group.size=3", "sweet.pairs=best", "task.need=0", "sweet.critic.updates=3"}},
		{"an actor-critic sampled ahead", "iac-tiny", []string{"training.async=1", "group.size=1", "team.turns=2", "group.buffer=3"}},
		{"calls of tools in a debate", "debate-sums", []string{"training.problems=2", "team.tools.use=[calculator]", "team.tools.form=text", "team.tools.open=", "team.tools.close=="}},
		{"one message of finished episodes", "c3-tiny", []string{"group.fanout=[]", "group.replay=[3, 2]", "group.size=2"}},
		{"calls of tools", "tool-sums-tiny", []string{"training.problems=2", "group.size=2"}},
	} {
		if turn.Has(c.name) {
			t.Run(c.name, func(t *testing.T) { c.equalsUnbroken(t) })
		}
	}
}

// TestLongKillAndResume kills more often, and kills the systems of other papers, whose runs have phases, caches and clocks of their own.
func TestLongKillAndResume(t *testing.T) {
	killAndResume(t, "debate-sums", 4, "metrics.jsonl")
	if turn.Has("a team in a program") {
		t.Run("a team in a program", func(t *testing.T) { killAndResume(t, inProgram, 10, "metrics.jsonl") })
	}
	for recipe, kept := range map[string]string{
		"collab-tiny": "decoding.jsonl", "malt-tiny": "metrics.jsonl", "mlpo-tiny": "metrics.jsonl", "mutual-tiny": "metrics.jsonl", "read-s-tiny": "metrics.jsonl",
		"read-j-tiny": "metrics.jsonl", "sweet-tiny": "metrics.jsonl",
	} {
		if turn.Has(recipe) {
			t.Run(recipe, func(t *testing.T) { killAndResume(t, recipe, 1, kept) })
		}
	}
}

// TestLongKillAndResumeEvaluation: as TestKillAndResumeEvaluation, for the others.
func TestLongKillAndResumeEvaluation(t *testing.T) {
	for _, recipe := range []string{"collab-tiny", "corex-discuss-tiny", "corex-retrieve-tiny", "lessonl-tiny"} {
		t.Run(recipe, func(t *testing.T) { killAndResumeEvaluation(t, recipe) })
	}
}

// TestLongEvaluationGoesOn: as TestEvaluationGoesOn, for the other systems of which nothing is trained, and one whose passes are voted over.
func TestLongEvaluationGoesOn(t *testing.T) {
	for name, sets := range map[string][]string{
		"corex-discuss-tiny":  {"eval.problems=24"},
		"corex-retrieve-tiny": {"eval.problems=24"},
		"lessonl-tiny":        {"eval.problems=24"},
		"debate-sums":         {"eval.problems=24", "eval.pass_at=[1, 2]", "eval.extract=1", "task.filter.held_out=true", "task.filter.samples=2", "task.filter.max_pass_rate=1", "task.filter.min_pass_rate=0.1"},
		"malt-tiny":           {"eval.problems=24", "eval.passes=2", "eval.ablations=[]", "experiment.seeds=[]"},
	} {
		t.Run(name, func(t *testing.T) { evaluationGoesOn(t, name, sets) })
	}
}
