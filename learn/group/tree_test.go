package group

import (
	"reflect"
	"testing"

	"parley/rollout"
)

// TestReturnsThroughEpisodes: the tree of an episode is walked as in MAGRPO §2.1, step 7, with early termination.
func TestReturnsThroughEpisodes(t *testing.T) {
	joint := [][]int{{0, 0}, {1, 1}}
	e := &rollout.Episode{Nodes: []*rollout.Node{
		{Turn: 0, Parent: -1, ParentAction: -1, Joint: joint, Rewards: []float64{1, 2}},
		{Turn: 1, Parent: 0, ParentAction: 0, Joint: joint, Rewards: []float64{4, 0}},
		{Turn: 1, Parent: 0, ParentAction: 1, Joint: joint, Rewards: []float64{3, 5}, Ended: true},
		{Turn: 2, Parent: 1, ParentAction: 0, Joint: joint, Rewards: []float64{1, 1}},
		{Turn: 2, Parent: 1, ParentAction: 1, Joint: joint, Rewards: []float64{0, 2}},
	}}
	got, err := returnsOf(e, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{1 + 0.5*(4.5+0.5)/2, 2 + 0.5*4}, {4.5, 0.5}, {3, 5}, {1, 1}, {0, 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("returns %v, want %v", got, want)
	}
	var turns []int
	for _, i := range depthFirst(e) {
		n := e.Nodes[i]
		turns = append(turns, n.Turn)
	}
	if !reflect.DeepEqual(turns, []int{0, 1, 2, 2, 1}) {
		t.Errorf("depth first visits turns %v", turns)
	}
}
