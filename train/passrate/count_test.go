package passrate

import (
	"testing"

	"parley/rl/rollout"
	"parley/task"
)

// TestPassRate: an answer solves a problem that agrees with the truth, or that is a program which passes all tests.
func TestPassRate(t *testing.T) {
	scored := func(share float64) task.Score { return task.Score{Signals: &task.Signals{Solved: &share}} }
	for _, c := range []struct {
		name string
		node rollout.Node
		want int
	}{
		{"answers", rollout.Node{Joint: [][]int{{0}, {1}, {2}}, Agents: []rollout.AgentTurn{{Completions: []rollout.Completion{{Correct: true}, {}, {Correct: true}}}}}, 2},
		{"programs", rollout.Node{
			Joint: [][]int{{0}, {1}, {2}}, Agents: []rollout.AgentTurn{{Completions: make([]rollout.Completion, 3)}},
			Scored: []task.Score{scored(1), scored(0.75), {}},
		}, 1},
	} {
		rate := passRate(&rollout.Episode{Problem: task.Problem{ID: "p"}, Nodes: []*rollout.Node{&c.node}}, 0)
		if rate != (task.PassRate{ID: "p", Right: c.want, Samples: 3}) {
			t.Errorf("%s: %+v, want %d of 3", c.name, rate, c.want)
		}
	}
}

// TestWhole: of a team in a program each whole episode counts by what it ended with; one that failed, or asked nobody, solved nothing.
func TestWhole(t *testing.T) {
	end := func(sample int, right float64) *rollout.Node {
		return &rollout.Node{Sample: sample, Scored: []task.Score{{Reward: right}}}
	}
	failed := end(2, 1)
	failed.Fail("it raised")
	e := &rollout.Episode{Problem: task.Problem{ID: "p"}, Nodes: []*rollout.Node{{Sample: 0}, end(0, 1), end(1, 0), failed}, Refused: map[int]string{3: "the harness asked no agent"}}
	if rate := passRate(e, 4); rate != (task.PassRate{ID: "p", Right: 1, Samples: 4}) {
		t.Errorf("%+v, want 1 of 4", rate)
	}
}
