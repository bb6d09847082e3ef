package score

import (
	"slices"
	"testing"

	"parley/rl/rollout"
)

// TestOwnRewards: what agents are paid alone adds up over an episode, and branches share.
func TestOwnRewards(t *testing.T) {
	node := func(parent int, own ...[]float64) *rollout.Node { return &rollout.Node{Parent: parent, Own: own} }
	for _, c := range []struct {
		name     string
		episodes []*rollout.Episode
		want     []float64
	}{
		{"nobody", []*rollout.Episode{{Nodes: []*rollout.Node{node(-1), node(0, []float64{0, 0})}}}, nil},
		{"a chain", []*rollout.Episode{{Nodes: []*rollout.Node{node(-1, []float64{1, 0}), node(0, []float64{2, -1})}}}, []float64{3, -1}},
		{"a mean of episodes", []*rollout.Episode{{Nodes: []*rollout.Node{node(-1, []float64{1, 0})}}, {Nodes: []*rollout.Node{node(-1)}}}, []float64{0.5, 0}},
		{"episodes of a problem", []*rollout.Episode{{Nodes: []*rollout.Node{node(-1, []float64{1, 1}), node(-1, []float64{0, 1})}}}, []float64{0.5, 1}},
		{"joint actions", []*rollout.Episode{{Nodes: []*rollout.Node{node(-1, []float64{1, 0}, []float64{0, 0})}}}, []float64{0.5, 0}},
		{"a tree", []*rollout.Episode{{Nodes: []*rollout.Node{node(-1), node(0, []float64{4, 0}), node(0), node(2, []float64{8, 0}), node(2)}}}, []float64{4, 0}},
	} {
		if got := OwnRewards(c.episodes, 2); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
