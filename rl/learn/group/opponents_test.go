package group

import (
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// TestOpponentsCountNowhere: what an opponent says has no credit and moves no baseline; what the others learn is the same whatever it said.
func TestOpponentsCountNowhere(t *testing.T) {
	credited := func(said float64) (advantages, rewards []float64, stats learn.Stats) {
		e := &rollout.Episode{}
		for sample, own := range [][2]float64{{2, -2}, {-1, 1}, {1, -1}} {
			parent := len(e.Nodes)
			for agent := range 2 {
				n := &rollout.Node{Turn: agent, Parent: -1, ParentAction: -1, Sample: sample, Joint: [][]int{{0}}, Rewards: []float64{0}, Own: [][]float64{{0, 0}}}
				n.Agents = []rollout.AgentTurn{{Agent: agent, Policy: "p", Completions: make([]rollout.Completion, 1)}}
				if agent == 1 {
					n.Parent, n.ParentAction, n.Own = parent, 0, [][]float64{{own[0], own[1]}}
				}
				e.Nodes = append(e.Nodes, n)
			}
		}
		old := e.Nodes[3]
		old.Agents[0].Policy, old.Agents[0].Opponent = engine.Base, "update-0"
		old.Own[0][1] = said
		own := learn.RewardWeights{Own: 1}
		l, err := newLearner(learn.Config{Weights: []learn.RewardWeights{own, own}, Settings: []any{learn.Group{Size: 3, Joint: "aligned", CrossCredit: "mean", Rollout: "episodes", Discount: 1}}}, credit.ModeMean)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.assign(t.Context(), []*rollout.Episode{e}, &stats); err != nil {
			t.Fatal(err)
		}
		for _, n := range e.Nodes {
			c := n.Agents[0].Completions[0]
			advantages, rewards = append(advantages, c.Advantage), append(rewards, c.Reward)
		}
		return advantages, rewards, stats
	}
	advantages, rewards, stats := credited(1)
	other, _, _ := credited(-100)
	// The scores of the episodes are 0, -1 and 0: that of the second is what its learner earned alone.
	for i, want := range []float64{2 + 1./3, -2 + 1./3, -1 + 1./3, 0, 1 + 1./3, -1 + 1./3} {
		if d := advantages[i] - want; d > 1e-12 || d < -1e-12 || other[i] != advantages[i] {
			t.Errorf("message %d: advantage %v, want %v; %v where the opponent earned another reward", i, advantages[i], want, other[i])
		}
	}
	if rewards[3] != 0 || stats.Return[1] != -1.5 {
		t.Errorf("the opponent has the credit %v; the second agent's mean return is %v, want -1.5", rewards[3], stats.Return[1])
	}
}

// TestOnlyOpponentsSpoke: a problem in which no learner spoke teaches nothing and is no error.
func TestOnlyOpponentsSpoke(t *testing.T) {
	e := &rollout.Episode{Nodes: []*rollout.Node{{
		Parent: -1, ParentAction: -1, Joint: [][]int{{0}}, Rewards: []float64{1},
		Agents: []rollout.AgentTurn{{Policy: "old", Opponent: "update-10", Completions: []rollout.Completion{{Tokens: []int{1}}}}},
	}}}
	l, err := newLearner(learn.Config{Settings: []any{learn.Group{Size: 2, Joint: "aligned", CrossCredit: "mean", Rollout: "episodes"}}}, credit.ModeMean)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.assign(t.Context(), []*rollout.Episode{e}, new(learn.Stats)); err != nil {
		t.Error(err)
	}
	if answers := learn.AnswersIn([]*rollout.Episode{e}); len(answers) > 0 {
		t.Errorf("%d answers of opponents are learned from", len(answers))
	}
}
