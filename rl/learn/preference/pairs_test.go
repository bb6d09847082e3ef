package preference

import (
	"reflect"
	"strings"
	"testing"

	"parley/internal/seed"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/task"
)

// joint is a node with these rewards of its joint actions.
func joint(rewards ...float64) *rollout.Node {
	n := &rollout.Node{Rewards: rewards, Agents: make([]rollout.AgentTurn, 2)}
	for k := range rewards {
		n.Joint = append(n.Joint, []int{k, k})
	}
	for s := range n.Agents {
		n.Agents[s].Completions = make([]rollout.Completion, len(rewards))
	}
	return n
}

// TestPairsOf: pairs with the greatest gap, random ones and all; beside a comparator only pairs of one response each.
func TestPairsOf(t *testing.T) {
	n := joint(0, 3, 1, 2)
	for _, c := range []struct {
		choose, comparator string
		want               [][2]int
	}{
		{"gap", "current", [][2]int{{1, 0}, {1, 2}}},
		{"gap", "model", [][2]int{{1, 2}, {3, 0}}},
		{"all", "model", [][2]int{{1, 2}, {3, 0}, {1, 3}, {2, 0}}},
	} {
		var got [][2]int
		for _, p := range PairsOf(Settings{Choose: c.choose, Comparator: c.comparator, Pairs: 2, Candidates: len(n.Joint)}, n, 3, 1, nil) {
			got = append(got, [2]int{p.Winner, p.Loser})
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s, comparator %s: %v, want %v", c.choose, c.comparator, got, c.want)
		}
	}
	random := PairsOf(Settings{Choose: "random", Comparator: "current", Pairs: 3}, n, 3, 1, seed.Stream(1))
	for _, p := range random {
		if n.Rewards[p.Winner] <= n.Rewards[p.Loser] {
			t.Errorf("%d is preferred to %d", p.Winner, p.Loser)
		}
	}
	if len(random) != 3 {
		t.Errorf("%d random pairs, want 3", len(random))
	}
}

// TestPairsOfRounding: nothing is preferred for 4e-17.
func TestPairsOfRounding(t *testing.T) {
	a := 0.1
	a += 0.2
	for _, choose := range []string{"gap", "all", "random"} {
		if pairs := PairsOf(Settings{Choose: choose, Comparator: "current", Pairs: 9}, joint(a, 0.3, a, 0.3), 1, 1, seed.Stream(1)); len(pairs) != 0 {
			t.Errorf("%s: %d pairs", choose, len(pairs))
		}
		if pairs := PairsOf(Settings{Choose: choose, Comparator: "current", Pairs: 9}, joint(a, 0.3, 0.4), 1, 1, seed.Stream(1)); len(pairs) != 2 {
			t.Errorf("%s: %d pairs, want 2", choose, len(pairs))
		}
	}
}

// TestReplayedPairs: an iteration learns from its own pairs and from those of the iterations that replay names, at the same
// place of each, with their weights.
func TestReplayedPairs(t *testing.T) {
	for replay, want := range map[string][]float64{"current": {1}, "nearest": {1, 1}, "all": {1, 1, 1}, "decay": {1, 0.5, 0.25}} {
		var read []int
		settings := Settings{Pairs: 16, Choose: "gap", Comparator: "current", Iterations: 4, Replay: replay, Nearest: 1, Decay: 0.5}
		l := &learner{learn.Common{Config: learn.Config{Updates: 8, Recall: func(update int) ([]*rollout.Episode, error) {
			read = append(read, update)
			return []*rollout.Episode{{Nodes: []*rollout.Node{joint(0, 1)}}}, nil
		}}}, settings}
		pairs, err := l.pairs(5, []*rollout.Episode{{Nodes: []*rollout.Node{joint(0, 1)}}})
		if err != nil {
			t.Fatal(err)
		}
		var weights []float64
		for _, p := range pairs {
			weights = append(weights, p.Weight)
		}
		if !reflect.DeepEqual(weights, want) {
			t.Errorf("replay %s: weights %v, want %v", replay, weights, want)
		}
		if places := []int{4, 2}[:len(want)-1]; len(read) != len(places) || len(read) > 0 && !reflect.DeepEqual(read, places) {
			t.Errorf("replay %s: read updates %v, want %v", replay, read, places)
		}
	}
}

func TestMerge(t *testing.T) {
	a, b := &rollout.Episode{Nodes: []*rollout.Node{joint(1, 2)}}, &rollout.Episode{Nodes: []*rollout.Node{joint(3)}}
	if err := Merge([]*rollout.Episode{a}, []*rollout.Episode{b}); err != nil {
		t.Fatal(err)
	}
	n := a.Nodes[0]
	if !reflect.DeepEqual(n.Joint, [][]int{{0, 0}, {1, 1}, {2, 2}}) || !reflect.DeepEqual(n.Rewards, []float64{1, 2, 3}) || len(n.Agents[1].Completions) != 3 {
		t.Errorf("joint actions %v with rewards %v and %d completions", n.Joint, n.Rewards, len(n.Agents[1].Completions))
	}
}

// TestPairsOfOneTurn: joint responses that were given one after the other cannot be compared as one.
func TestPairsOfOneTurn(t *testing.T) {
	l := &learner{}
	e := &rollout.Episode{Problem: task.Problem{ID: "p7"}, Nodes: []*rollout.Node{joint(0, 1), joint(0, 1)}}
	if err := l.assign(t.Context(), []*rollout.Episode{e}, nil); err == nil || !strings.Contains(err.Error(), "p7") {
		t.Errorf("two turns are credited: %v", err)
	}
}
