package diagnose

import (
	"fmt"

	"parley/rl/rollout"
)

// Spans are the least and the greatest of some numbers, by what makes numbers comparable.
type Spans map[string][2]float64

func (s Spans) add(key string, x float64) {
	have, known := s[key]
	if !known {
		have = [2]float64{x, x}
	}
	s[key] = [2]float64{min(have[0], x), max(have[1], x)}
}

func (s Spans) join(o Spans) {
	for key, ends := range o {
		s.add(key, ends[0])
		s.add(key, ends[1])
	}
}

// widest is the greatest difference of two numbers that are comparable; 0 where there are none.
func (s Spans) widest() float64 {
	most := 0.0
	for _, ends := range s {
		most = max(most, ends[1]-ends[0])
	}
	return most
}

// pay takes in what the joint actions of an episode are paid, and what its dialogues are paid as a whole: all on the way from a root to a joint action
// that nothing follows.
func (h *Health) pay(e *rollout.Episode) {
	type action struct{ node, joint int }
	followed := map[action]bool{}
	for _, n := range e.Nodes {
		if n.Parent >= 0 {
			followed[action{n.Parent, n.ParentAction}] = true
		}
	}
	totals := make([][][]float64, len(e.Nodes)) // [node][joint action][who is paid: the team, then each agent]
	for i, n := range e.Nodes {
		if e.FailedSample(n.Sample) || len(n.Rewards) == 0 {
			continue
		}
		for j := range n.Rewards {
			sums := rewardsOf(n, j)
			for who, r := range sums {
				h.Paid.add(fmt.Sprintf("turn %d, %d", n.Turn+1, who), r)
			}
			if n.Parent >= 0 && n.ParentAction < len(totals[n.Parent]) {
				for who, r := range totals[n.Parent][n.ParentAction] {
					if who < len(sums) {
						sums[who] += r
					}
				}
			}
			totals[i] = append(totals[i], sums)
			if !followed[action{i, j}] {
				for who, r := range sums {
					h.Totals.add(fmt.Sprint(who), r)
				}
			}
		}
	}
}

// rewardsOf are what the team and each agent are paid for a joint action.
func rewardsOf(n *rollout.Node, j int) []float64 {
	out := []float64{n.Rewards[j]}
	if j < len(n.Own) {
		out = append(out, n.Own[j]...)
	}
	return out
}
