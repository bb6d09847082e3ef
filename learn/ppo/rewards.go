package ppo

import (
	"fmt"
	"math"

	"parley/reward"
	"parley/rollout"
)

// assignRewards gives every answer of one debate its reward (MAPoRL §2).
func (l *learner) assignRewards(e *rollout.Episode) error {
	var scores [][]float64
	var flagged, correct [][]bool
	for t, n := range e.Nodes {
		scores, flagged, correct = append(scores, nil), append(flagged, nil), append(correct, nil)
		for s := range n.Agents {
			c := &n.Agents[s].Completions[0]
			scores[t] = append(scores[t], l.score(c, n, t == len(e.Nodes)-1))
			flagged[t] = append(flagged[t], len(c.Flags) > 0)
			correct[t] = append(correct[t], c.Correct)
		}
	}
	if l.Reward.ByScore {
		correct = reward.CorrectByVerifier(scores)
	}
	for t, turn := range l.Reward.Scheme.Rewards(scores, flagged, correct) {
		for s, r := range turn {
			if math.IsNaN(r) || math.IsInf(r, 0) {
				return fmt.Errorf("problem %s: the reward is %v: the task must return a finite number", e.Problem.ID, r)
			}
			e.Nodes[t].Agents[s].Completions[0].Reward = r
		}
	}
	return nil
}

// score is what a design makes rewards of: the verifier's score of an answer, or that of all answers of its turn. Without a
// verifier only the last turn has a signal (MAPoRL §2.4).
func (l *learner) score(c *rollout.Completion, n *rollout.Node, last bool) float64 {
	switch {
	case l.Reward.Joint:
		return n.Rewards[0]
	case l.Reward.FinalOnly && !last:
		return 0
	}
	return c.Score
}
