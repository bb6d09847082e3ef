package train_test

import (
	"fmt"
	"testing"

	"parley/train"
	"parley/train/shortrun"
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

// TestAlternatingTurns: one turn learns at a time (6); the first twenty updates are turn 2's.
func TestAlternatingTurns(t *testing.T) {
	_, metrics := changed(t, "team.turns=3", "ppo.schedule=alternating", "policies.first_trained_turn=2")
	for _, m := range metrics {
		if len(m.GradNorm) != 2 || m.GradNorm["policy-turn2"] == 0 || m.GradNorm["value-turn2"] == 0 {
			t.Errorf("update %d trains %s", m.Update, fmt.Sprint(m.GradNorm))
		}
	}
}
