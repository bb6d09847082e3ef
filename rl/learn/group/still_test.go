package group

import (
	"slices"
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/learntest"
	"parley/rl/rollout"
	"parley/rl/tabular"
)

// TestStill: the step of an update in which all answers earned the same changes nothing, though weight decay and the momentum of the update before would
// move the policy; the next one in which they did not goes on.
func TestStill(t *testing.T) {
	for _, mode := range []credit.AdvantageMode{credit.ModeMean, credit.ModeMax, credit.ModeRLOO} {
		e := tabular.NewTabular(3)
		l, err := newLearner(learn.Config{
			Settings: []any{learn.Group{Size: 3, Joint: "aligned", CrossCredit: "mean", Discount: 1, Reduction: "seq_sum"}},
			Actors:   []rollout.Actor{{Engine: e}}, Sharing: learn.Sharing{Policies: learn.Policies{Sharing: "shared", FirstTrainedTurn: 1}, Bases: []int{0}},
			Turns: 1, Updates: 3, Steps: learn.StepCounts{}, Tops: learn.StepCounts{},
			Optimizer: learn.Optimizer{LR: 0.1, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, WeightDecay: 0.1},
		}, mode)
		if err != nil {
			t.Fatal(err)
		}
		policy := l.Sharing.Policy(0, 0)
		if err := e.NewPolicy(t.Context(), policy, engine.PolicySpec{}); err != nil {
			t.Fatal(err)
		}
		for update, rewards := range [][]float64{{0, 1, 1}, {1, 1, 1}, {1, 0, 0}} {
			before, err := e.Probabilities(policy)
			if err != nil {
				t.Fatal(err)
			}
			before = slices.Clone(before)
			n := &rollout.Node{Parent: -1, ParentAction: -1, Joint: [][]int{{0}, {1}, {2}}, Rewards: rewards}
			n.Agents = []rollout.AgentTurn{{Policy: policy, Prompt: []int{0}}}
			for action := range rewards {
				n.Agents[0].Completions = append(n.Agents[0].Completions, rollout.Completion{Tokens: []int{action}, Logprobs: []float32{-1}})
			}
			s := learntest.Update(t, l, update, []*rollout.Episode{{Nodes: []*rollout.Node{n}}})
			after, err := e.Probabilities(policy)
			if err != nil {
				t.Fatal(err)
			}
			if still := slices.Equal(rewards, []float64{1, 1, 1}); slices.Equal(before, after) != still || s.OptimizerSteps != 1 || s.RatioMean == 0 {
				t.Errorf("%v, update %d: %d steps, mean ratio %v, %v became %v", mode, update+1, s.OptimizerSteps, s.RatioMean, before, after)
			}
		}
	}
}
