package score

import (
	"math"
	"testing"

	"parley/internal/seed"
	"parley/recipe"
	"parley/rl/reward"
	"parley/rl/rollout"
	"parley/task"
)

// What unfinished answers cost is taken off the processed reward of every joint action that they are part of, shared by its answers.
func TestTruncatedPenalty(t *testing.T) {
	rng := seed.Stream(1)
	s := &Scorer{recipe: new(recipe.Recipe), joint: counting{}, process: reward.Chain{reward.Scale(2)}}
	n := &rollout.Node{Joint: [][]int{{0, 0}, {1, 0}, {1, 1}}, Agents: make([]rollout.AgentTurn, 2)}
	for a := range n.Agents {
		n.Agents[a] = rollout.AgentTurn{Agent: a, Completions: []rollout.Completion{{Text: "a b", Penalty: rng.Float64()}, {Text: "c"}}}
	}
	if err := s.Score(t.Context(), []rollout.ScoreItem{{Problem: task.Problem{}, Node: n}}); err != nil {
		t.Fatal(err)
	}
	first, second := n.Agents[0].Completions[0].Penalty, n.Agents[1].Completions[0].Penalty
	for k, want := range []float64{8 - (first+second)/2, 6 - second/2, 4} {
		if math.Abs(n.Rewards[k]-want) > 1e-12 {
			t.Errorf("joint action %d earns %v, want %v", k, n.Rewards[k], want)
		}
	}
}
