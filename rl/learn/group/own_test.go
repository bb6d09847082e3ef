package group

import (
	"math"
	"testing"

	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// paid is a node of one answer of an agent, with what the team of two and each of them earned for it.
func paid(turn, parent, sample, agent int, team float64, own ...float64) *rollout.Node {
	n := &rollout.Node{Turn: turn, Parent: parent, ParentAction: min(parent, 0), Sample: sample, Joint: [][]int{{0}}, Rewards: []float64{team}, Own: [][]float64{own}}
	n.Agents = []rollout.AgentTurn{{Agent: agent, Policy: "policy", Completions: make([]rollout.Completion, 1)}}
	return n
}

// TestOwnRewards: an agent learns from team·R + own·r of all steps from its message on, also of those at which others spoke, discounted step by
// step. By hand, with discount 1/2: the first agent has weights 1 and 1/2, the second 0 and 2.
func TestOwnRewards(t *testing.T) {
	weights := []learn.RewardWeights{{Team: 1, Own: 0.5}, {Team: 0, Own: 2}}
	learner := func(rollout string) *learner {
		settings := learn.Group{Size: 2, Joint: "aligned", CrossCredit: "mean", Discount: 0.5, Rollout: rollout}
		l, err := newLearner(learn.Config{Settings: []any{settings}, Weights: weights}, credit.ModeMean)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	check := func(e *rollout.Episode, want [][2]float64) {
		t.Helper()
		i := 0
		for _, n := range e.Nodes {
			for _, c := range n.Agents[0].Completions {
				if math.Abs(c.Reward-want[i][0]) > 1e-12 || math.Abs(c.Advantage-want[i][1]) > 1e-12 {
					t.Errorf("answer %d has return %v and advantage %v, want %v", i, c.Reward, c.Advantage, want[i])
				}
				i++
			}
		}
	}
	// One episode of three messages, the first agent's rewards 2, 2, 2 and the second's 0, 2, 8; and one of a message, which earns nothing.
	whole := &rollout.Episode{Nodes: []*rollout.Node{
		paid(0, -1, 0, 0, 1, 2, 0), paid(0, -1, 1, 0, 0, 0, 0), paid(1, 0, 0, 1, 0, 4, 1), paid(2, 2, 0, 0, 2, 0, 4),
	}}
	stats := new(learn.Stats)
	if err := learner("episodes").assign(t.Context(), []*rollout.Episode{whole}, stats); err != nil {
		t.Fatal(err)
	}
	mean := (3.5 + 6 + 2) / 3 / 2
	check(whole, [][2]float64{{3.5, 3.5 - mean}, {0, -mean}, {6, 6 - mean}, {2, 2 - mean}})
	if len(stats.Return) != 2 || math.Abs(stats.Return[0]-5.5/3) > 1e-12 || stats.Return[1] != 6 {
		t.Errorf("mean returns %v", stats.Return)
	}
	// A tree: the first agent's two answers earn 1 and 0 of its own, and the second's two answers to each of them 4, 0 and 0, 2 for itself.
	tree := &rollout.Episode{Nodes: []*rollout.Node{
		spoken(0, -1, -1, credit.Aligned, []float64{0, 0}, 0),
		spoken(1, 0, 0, credit.Aligned, []float64{4, 2}, 1),
		spoken(1, 0, 1, credit.Aligned, []float64{1, 1}, 1),
	}}
	tree.Nodes[0].Own = [][]float64{{1, 0}, {0, 0}}
	tree.Nodes[1].Own = [][]float64{{2, 4}, {0, 0}}
	tree.Nodes[2].Own = [][]float64{{0, 0}, {0, 2}}
	if err := learner("tree").creditEpisode(tree, nil, new(learn.Stats)); err != nil {
		t.Fatal(err)
	}
	// The first agent's returns: 1/2 + (5+2)/2/2 = 2.25 and 0 + (1+1)/2/2 = 0.5.
	check(tree, [][2]float64{{2.25, 0.875}, {0.5, -0.875}, {8, 4}, {0, -4}, {0, -2}, {4, 2}})
}

// TestOthersRewards: with the weight of the others' pay an agent learns from all that the others are paid alone from its message on, in episodes and in
// trees alike.
func TestOthersRewards(t *testing.T) {
	for _, kind := range []string{"episodes", "tree"} {
		settings := learn.Group{Size: 2, Joint: "aligned", CrossCredit: "mean", Discount: 0.5, Rollout: kind}
		l, err := newLearner(learn.Config{Settings: []any{settings}, Weights: []learn.RewardWeights{{Own: 1, Others: 3}, {Others: 1}}}, credit.ModeMean)
		if err != nil {
			t.Fatal(err)
		}
		// The first agent's rewards are 1·2 + 3·0, 0 + 3·1 and 0 + 3·4, the second's 2, 0 and 0.
		e := &rollout.Episode{Nodes: []*rollout.Node{paid(0, -1, 0, 0, 0, 2, 0), paid(1, 0, 0, 1, 0, 0, 1), paid(2, 1, 0, 0, 0, 0, 4)}}
		if kind == "episodes" {
			err = l.assign(t.Context(), []*rollout.Episode{e}, new(learn.Stats))
		} else {
			err = l.creditEpisode(e, nil, new(learn.Stats))
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{2 + 3.0/2 + 12.0/4, 0, 12} {
			if got := e.Nodes[i].Agents[0].Completions[0].Reward; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: message %d returns %v, want %v", kind, i, got, want)
			}
		}
	}
}
