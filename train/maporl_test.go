package train_test

import (
	"fmt"
	"testing"

	"parley/internal/shortrun"
	"parley/train"
)

// brief are changes that leave two updates of a few questions.
var brief = []string{
	"training.updates=2", "training.problems=4", "ppo.minibatches=2", "ppo.epochs=2", "optimizer.warmup=0", "optimizer.decay=none",
	"sampling.max_tokens=30", "eval.problems=1", "eval.examples=0", "eval.baselines=[]",
}

// changed trains debate-sums with changes and returns metrics.jsonl.
func changed(t *testing.T, sets ...string) (string, []train.Metrics) {
	t.Helper()
	result, metrics := shortrun.Run(t, shortrun.Load(t, "debate-sums", append(append([]string{}, brief...), sets...)...))
	return string(metricsFile(t, result.Dir)), metrics
}

// TestFirstPass: the first pass after a rollout has ratio 1 everywhere, and so clips nothing (13); with one pass there is no other.
func TestFirstPass(t *testing.T) {
	for _, sharing := range []string{"shared", "per-turn", "per-agent", "per-agent-turn", "first-and-later"} {
		_, metrics := changed(t, "policies.sharing="+sharing, "ppo.epochs=1", "ppo.minibatches=1")
		for _, m := range metrics {
			if m.FirstRatio != 0 || m.RatioMean != 1 || m.RatioMax != 1 || m.ClipShare != 0 {
				t.Errorf("%s, update %d: deviation %g, ratio %g to %g, clip share %g", sharing, m.Update, m.FirstRatio, m.RatioMean, m.RatioMax, m.ClipShare)
			}
		}
	}
}

// TestKLForms: a policy that has not learned has no divergence from the base, in any form; the exact one of a policy that has
// learned is positive, and the forms are three numbers.
func TestKLForms(t *testing.T) {
	seen := map[float64]string{}
	for _, form := range []string{"sampled", "ref_policy_sampled", "ref_policy_exact"} {
		_, metrics := changed(t, "ppo.kl_form="+form, "ppo.kl=0")
		first, second := *metrics[0].KL, *metrics[1].KL
		if first != 0 || form == "ref_policy_exact" && second <= 0 || seen[second] != "" {
			t.Errorf("%s: divergence %g, then %g (as %s)", form, first, second, seen[second])
		}
		seen[second] = form
	}
}

// TestOptions: what the reference code does otherwise trains too, and not to the same numbers as the defaults (4).
func TestOptions(t *testing.T) {
	plain, _ := changed(t)
	for _, set := range []string{"ppo.terminal=trl", "ppo.value_input=history", "ppo.value_half=false", "ppo.value_clip=0.001", "ppo.whiten=false", "reward.source=final-label"} {
		if got, _ := changed(t, set); got == plain {
			t.Errorf("%s changes nothing", set)
		}
	}
}

// TestAlternatingTurns: one turn learns at a time (6); the first twenty updates are turn 2's.
func TestAlternatingTurns(t *testing.T) {
	_, metrics := changed(t, "team.turns=3", "ppo.schedule=alternating", "policies.first_trained_turn=2")
	for _, m := range metrics {
		if len(m.GradNorm) != 2 || m.GradNorm["policy-turn2"] == 0 || m.GradNorm["value-turn2"] == 0 {
			t.Errorf("update %d trains %s", m.Update, fmt.Sprint(m.GradNorm))
		}
	}
}
