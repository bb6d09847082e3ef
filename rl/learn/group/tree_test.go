package group

import (
	"reflect"
	"testing"

	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// TestRoundingIsNoAdvantage: a group whose rewards differ by rounding is dead, however its advantages are made.
func TestRoundingIsNoAdvantage(t *testing.T) {
	a := 0.1
	a += 0.2
	for _, mode := range []credit.AdvantageMode{credit.ModeMean, credit.ModeMax, credit.ModeRLOO} {
		for _, normalize := range []bool{false, true} {
			for _, scale := range []float64{1e-3, 1, 1e6} {
				n := &rollout.Node{Parent: -1, ParentAction: -1, Joint: [][]int{{0}, {1}, {2}}, Rewards: []float64{0.3 * scale, a * scale, 0.3 * scale}}
				n.Agents = []rollout.AgentTurn{{Completions: make([]rollout.Completion, 3)}}
				l := &learner{Common: learn.Common{Config: learn.Config{Reward: learn.Reward{Width: scale}}}, mode: mode, joint: credit.Aligned}
				l.settings.Size, l.settings.Normalize, l.settings.CrossCredit = 3, normalize, "mean"
				e := &rollout.Episode{Nodes: []*rollout.Node{n}}
				if err := l.creditEpisode(e, nil, new(learn.Stats)); err != nil {
					t.Fatal(err)
				}
				if share := deadGroups([]*rollout.Episode{e}, l.advantageWidth()); share != 1 {
					t.Errorf("%s, normalize %v, scale %g: advantages %+v", mode, normalize, scale, n.Agents[0].Completions)
				}
			}
		}
	}
}

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
	got, err := returnsOf(e, 0.5, func(n *rollout.Node, j int) float64 { return n.Rewards[j] })
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
