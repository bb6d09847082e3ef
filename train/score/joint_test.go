package score

import (
	"context"
	"math"
	"strings"
	"testing"

	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/task"
)

// broken is a joint scorer that returns no number.
type broken struct{ task.Task }

func (broken) Score(context.Context, task.Problem, []string) (task.Score, error) {
	return task.Score{Reward: math.NaN()}, nil
}
func (broken) Range() (least, greatest float64) { return 0, 1 }

func TestScoresThatAreNoNumbersNameTheProblem(t *testing.T) {
	s := &Scorer{recipe: new(recipe.Recipe), joint: broken{}}
	n := &rollout.Node{Agents: []rollout.AgentTurn{{Completions: make([]rollout.Completion, 1)}}, Joint: [][]int{{0}}}
	err := s.Score(context.Background(), []rollout.ScoreItem{{Problem: task.Problem{ID: "item-7"}, Node: n}})
	if err == nil || !strings.Contains(err.Error(), "item-7") {
		t.Errorf("a reward of NaN gives %v", err)
	}
}

// A node that waits for agents who have not spoken ends nothing, however its reward of 0 compares.
func TestWaitingNodesDoNotEnd(t *testing.T) {
	below, zero := -1.0, 0.0
	r := lang.Defaults()
	recipe.ChangeSection(r, func(g *learn.Group) { g.EndValue = &zero })
	s := &Scorer{recipe: r, joint: broken{}, threshold: &below}
	n := &rollout.Node{Joint: [][]int{{0}, {1}}, Rewards: []float64{0, 0}}
	if s.terminates(n) || s.endsChain(n) {
		t.Error("a waiting node ends a tree or a chain")
	}
	if n.Scored = make([]task.Score, 2); !s.terminates(n) || !s.endsChain(n) {
		t.Error("a scored node ends neither a tree nor a chain")
	}
}

// counting pays the number of words of all responses.
type counting struct{ task.Task }

func (counting) Name() string                     { return "counting" }
func (counting) Range() (least, greatest float64) { return 0, 4 }
func (counting) Score(_ context.Context, _ task.Problem, responses []string) (task.Score, error) {
	return task.Score{Reward: float64(len(strings.Fields(strings.Join(responses, " "))))}, nil
}

// Processors act behind scale, shift and clamp, in their order, and the range of rewards goes through them as well.
func TestProcessorsOfARecipe(t *testing.T) {
	r, err := lang.Load("magrpo-tiny", []string{"reward.scale=2", "reward.shift=-1", "reward.clamp=[0, 5]", "reward.processors=[length_normalize 2, exp_scale 0.5]"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(context.Background(), r, counting{}, Parts{})
	if err != nil {
		t.Fatal(err)
	}
	n := &rollout.Node{Joint: [][]int{{0}, {1}}, Agents: []rollout.AgentTurn{{Completions: []rollout.Completion{
		{Text: "a b", Tokens: make([]int, 4)}, {Text: "a b c d", Tokens: make([]int, 1)},
	}}}}
	if err := s.rewards(t.Context(), rollout.ScoreItem{Node: n}); err != nil {
		t.Fatal(err)
	}
	// 2 words: 2·2 − 1 = 3, over 4 tokens of units of 2: 1.5, e^0.75. 4 words: 7, clamped to 5, shorter than a unit: e^2.5.
	for j, want := range []float64{math.Exp(0.75), math.Exp(2.5)} {
		if math.Abs(n.Rewards[j]-want) > 1e-12 {
			t.Errorf("joint action %d earns %v, want %v", j, n.Rewards[j], want)
		}
	}
	if least, most := s.ProcessedRange(); least != 1 || math.Abs(most-math.Exp(2.5)) > 1e-12 {
		t.Errorf("rewards range from %v to %v, want 1 to e^2.5", least, most)
	}
}
