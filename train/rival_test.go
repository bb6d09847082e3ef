package train_test

import (
	"testing"

	"parley/internal/shortrun"
)

// TestRivalModel: another base, with a tokenizer of its own, writes half of the candidates in the tokens of the team's base, and pairs
// are between it and the team.
func TestRivalModel(t *testing.T) {
	o := quick(t, "madpo-tiny", "training.updates=1", "training.problems=4", "preference.candidates=8", "preference.iterations=1",
		"preference.comparator=model", "preference.model=testdata/tiny-base")
	result, metrics := shortrun.Run(t, o.Recipe)
	if m := metrics[0]; m.Pairs == 0 || m.PairSteps != 2*m.Pairs || len(m.GradNorm) != 2 {
		t.Errorf("%d pairs in %d steps, gradients of %v", m.Pairs, m.PairSteps, m.GradNorm)
	}
	for _, e := range episodesOf(t, result.Dir) {
		for _, agentTurn := range e.Nodes[0].Agents {
			if n := len(agentTurn.Completions); n != 8 {
				t.Fatalf("%d candidates, want 8", n)
			}
			for k, c := range agentTurn.Completions {
				if (c.Logprobs == nil) != (k >= 4) || len(c.Tokens) == 0 && c.Text != "" {
					t.Errorf("candidate %d has %d tokens and log-probabilities %v", k, len(c.Tokens), c.Logprobs)
				}
			}
		}
	}
}
