package group

import (
	"testing"

	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// compared are the advantages of a problem's episodes by what each earned; one that failed has no score.
func compared(t *testing.T, mode credit.AdvantageMode, earned []float64, failed int) []float64 {
	t.Helper()
	e := &rollout.Episode{}
	for sample, r := range earned {
		n := &rollout.Node{Parent: -1, ParentAction: -1, Sample: sample, Joint: [][]int{{0}}, Rewards: []float64{r}}
		n.Agents = []rollout.AgentTurn{{Completions: make([]rollout.Completion, 1)}}
		if sample < failed {
			n.Failed, n.Rewards = "no score", nil
		}
		e.Nodes = append(e.Nodes, n)
	}
	l, err := newLearner(learn.Config{Settings: []any{learn.Group{Size: len(earned), Joint: "aligned", CrossCredit: "mean", Rollout: "episodes", Discount: 1}}}, mode)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.assign(t.Context(), []*rollout.Episode{e}, new(learn.Stats)); err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, n := range e.Nodes {
		out = append(out, n.Agents[0].Completions[0].Advantage)
	}
	return out
}

// TestFailedEpisodesTakeNoPart: the others are compared as if there had been no more; one that is left is compared with none. Permuting
// episodes permutes what they learn.
func TestFailedEpisodesTakeNoPart(t *testing.T) {
	for _, mode := range []credit.AdvantageMode{credit.ModeMean, credit.ModeMax, credit.ModeRLOO} {
		with, without := compared(t, mode, []float64{9, 1, 3, 8}, 1), compared(t, mode, []float64{1, 3, 8}, 0)
		turned := compared(t, mode, []float64{8, 1, 3}, 0)
		for i := range without {
			if with[0] != 0 || with[i+1] != without[i] || turned[(i+1)%3] != without[i] {
				t.Errorf("%s: %v with a failed one, %v without, %v permuted", mode, with, without, turned)
			}
		}
		for _, a := range compared(t, mode, []float64{9, 9, 3}, 2) {
			if a != 0 {
				t.Errorf("%s: an episode by itself has the advantage %v", mode, a)
			}
		}
	}
}
