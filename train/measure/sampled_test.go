package measure

import (
	"math"
	"testing"

	"parley/rollout"
	"parley/task"
)

// TestAtK: pass@k and accuracy@k of two problems with four answers each, by hand.
func TestAtK(t *testing.T) {
	m := &Measurement{System: "trained", Shares: [][]float64{{0.5, 1, 0, 0}, {0.25, 0, 0, 0.75}}}
	for k, want := range map[int]struct{ pass, best, expected float64 }{
		// One of four solves the first problem: 1/4. The expectation is the mean of the shares.
		1: {1. / 8, (0.5 + 0.25) / 2, (1.5/4 + 1./4) / 2},
		// Three of the six pairs hold the solution, two of the others the half. Of the second problem three hold 0.75, two of the others 0.25.
		2: {(3. / 6) / 2, (1 + 0.25) / 2, ((3*1+2*0.5)/6 + (3*0.75+2*0.25)/6) / 2},
		4: {1. / 2, (1 + 0.75) / 2, (1 + 0.75) / 2},
	} {
		pass, accuracy := PassAt(m, []int{k}, 1)[0], AccuracyAt(m, []int{k}, 1)[0]
		for what, d := range map[string]float64{"pass": pass.Value - want.pass, "accuracy": accuracy.Value - want.best, "expected": accuracy.Expected - want.expected} {
			if math.Abs(d) > 1e-12 {
				t.Errorf("%s@%d is off by %v", what, k, d)
			}
		}
		if pass.System != "trained" || pass.K != k || pass.CI95[0] > pass.Value || pass.CI95[1] < pass.Value {
			t.Errorf("pass@%d: %+v", k, pass)
		}
	}
}

// TestSharesSolved: of a program it is the share of its tests, of an answer whether it is right.
func TestSharesSolved(t *testing.T) {
	part := 0.75
	n := &rollout.Node{
		Joint: [][]int{{0}, {1}, {2}}, Agents: []rollout.AgentTurn{{Completions: []rollout.Completion{{}, {Correct: true}, {}}}},
		Scored: []task.Score{{Signals: &task.Signals{Solved: &part}}, {}, {}},
	}
	if got := SharesSolved(&rollout.Episode{Nodes: []*rollout.Node{n}}); got[0] != 0.75 || got[1] != 1 || got[2] != 0 {
		t.Errorf("shares %v, want 0.75, 1, 0", got)
	}
}
