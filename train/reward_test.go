package train_test

import (
	"math"
	"path/filepath"
	"testing"

	"parley/engine/native"
	"parley/train"
	"parley/train/shortrun"
)

// TestRewardIsNotReturn: a reward of 1 in each of two turns is 1, whatever is trained on; discount and design are in the return, and the
// penalty for the distance from the base in the shaped return alone.
//
// TestLongRewardIsNotReturn does so with the other learners.
func TestRewardIsNotReturn(t *testing.T) {
	rewardIsNotReturn(t, map[string]returned{
		"magrpo, two turns": {"magrpo-tiny", []string{"team.turns=2", "group.size=2", "group.discount=0.5"}, (1.5 + 2*1) / 3, false},
		"iac, KL":           {"iac-tiny", []string{"group.kl=100"}, 1, true},
	})
}

// returned is a run whose reward is 1, and what it returns.
type returned struct {
	recipe string
	sets   []string
	want   float64 // return
	shaped bool
}

func rewardIsNotReturn(t *testing.T, cases map[string]returned) {
	t.Helper()
	one := []string{"reward.source=user", "reward.user.expression=1", "training.updates=2", "training.problems=4", "task.train=50", "eval.baselines=[]", "optimizer.lr=0.01"}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := train.Options{
				Backend: native.Backend{}, Recipe: shortrun.Load(t, c.recipe, append(append(append([]string{}, one...), shortrun.Small...), c.sets...)...),
				Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1,
			}
			if _, err := train.Run(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			metrics := shortrun.Metrics(t, o.Dir)
			if c.recipe == "iac-tiny" && metrics[1].ShapedReturn[0] > 0.99 { // critics move policies though every reward is 1
				t.Errorf("the penalty shows nowhere: %v", metrics[1].ShapedReturn)
			}
			for _, m := range metrics {
				for agent, r := range m.Reward {
					if r != 1 || math.Abs(m.Return[agent]-c.want) > 1e-12 {
						t.Errorf("update %d, agent %d: reward %v, return %v, want 1 and %v", m.Update, agent+1, r, m.Return[agent], c.want)
					}
					if (m.ShapedReturn != nil) != c.shaped {
						t.Errorf("update %d, agent %d: shaped return %v", m.Update, agent+1, m.ShapedReturn)
					}
				}
			}
		})
	}
}
