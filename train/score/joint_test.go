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
