package group

import (
	"testing"

	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// TestNoBaselineOfOthers: episodes are compared by what those who learn have said. What an agent said that is no model has no advantage and no
// part in the score of its episode, whenever it spoke. What it returns is recorded all the same, so that whoever reads the episode sees what it earned.
func TestNoBaselineOfOthers(t *testing.T) {
	advantages := func(talks bool) (out []float64) {
		e := &rollout.Episode{}
		for sample, r := range []float64{1, 3, 8} {
			first := &rollout.Node{Parent: -1, ParentAction: -1, Sample: sample, Joint: [][]int{{0}}, Rewards: []float64{0}, Agents: []rollout.AgentTurn{{Policy: "p", Completions: make([]rollout.Completion, 1)}}}
			other := &rollout.Node{Turn: 1, Parent: len(e.Nodes), Sample: sample, Joint: [][]int{{0}}, Rewards: []float64{r}, Agents: []rollout.AgentTurn{{Agent: 1, Speaker: "script", Completions: make([]rollout.Completion, 1)}}}
			if !talks {
				first.Rewards[0] = 0.5 * r // the return that it has with the discount of one turn
				e.Nodes = append(e.Nodes, first)
				continue
			}
			e.Nodes = append(e.Nodes, first, other)
		}
		l, err := newLearner(learn.Config{Settings: []any{learn.Group{Size: 3, Joint: "aligned", CrossCredit: "mean", Rollout: "episodes", Discount: 0.5}}}, credit.ModeMean)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.creditEpisode(e, nil, new(learn.Stats)); err != nil {
			t.Fatal(err)
		}
		for _, n := range e.Nodes {
			c := n.Agents[0].Completions[0]
			if n.Agents[0].Speaker == "" {
				out = append(out, c.Advantage)
			} else if c.Advantage != 0 || c.Reward != n.Rewards[0] {
				t.Errorf("what a script said has the advantage %v and the reward %v, want 0 and %v", c.Advantage, c.Reward, n.Rewards[0])
			}
		}
		return out
	}
	with, without := advantages(true), advantages(false)
	for i := range without {
		if with[i] != without[i] {
			t.Errorf("advantages %v beside a script, %v without", with, without)
		}
	}
}
