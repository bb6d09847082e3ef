package score

import (
	"context"
	"math"
	"parley/recipe"
	"parley/rollout"
	"parley/task"
	"strings"
	"testing"
)

// broken is a joint scorer that returns no number.
type broken struct{ task.Task }

func (broken) Score(task.Problem, []string) (task.Score, error) {
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
	r.Group.EndValue = &zero
	s := &Scorer{recipe: r, joint: broken{}, threshold: &below}
	n := &rollout.Node{Joint: [][]int{{0}, {1}}, Rewards: []float64{0, 0}}
	if s.terminates(n) || s.endsChain(n) {
		t.Error("a waiting node ends a tree or a chain")
	}
	if n.Scored = make([]task.Score, 2); !s.terminates(n) || !s.endsChain(n) {
		t.Error("a scored node ends neither a tree nor a chain")
	}
}
