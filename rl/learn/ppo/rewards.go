package ppo

import (
	"fmt"
	"math"

	"parley/rl/learn"
	"parley/rl/reward"
	"parley/rl/rollout"
)

// assignRewards gives every answer of one debate its reward R(t,a) (MAPoRL §2): its score, or the penalty in its place; the design, which
// credits scores of later turns; the incentives. The nodes of a debate are a path with one joint action each, so a turn is a node; who
// did not speak in a turn has no answer there.
func (l *learner) assignRewards(e *rollout.Episode, stats *learn.Stats) error {
	debate := make([]reward.Turn, len(e.Nodes))
	for t, n := range e.Nodes {
		for s := range n.Agents {
			debate[t] = append(debate[t], l.answer(n, s, t == len(e.Nodes)-1))
		}
	}
	for t, turn := range l.Reward.Scheme.Rewards(debate) {
		for s, r := range turn {
			if math.IsNaN(r) || math.IsInf(r, 0) {
				return fmt.Errorf("problem %s: the reward is %v: the task must return a finite number", e.Problem.ID, r)
			}
			e.Nodes[t].Agents[s].Completions[0].Reward = r
			stats.AddReturn(e.Nodes[t].Agents[s].Agent, r)
		}
	}
	return nil
}

// answer is what the reward scheme is told of the answer of the s-th speaker at a node.
func (l *learner) answer(n *rollout.Node, s int, last bool) reward.Answer {
	c := &n.Agents[s].Completions[0]
	a := reward.Answer{Agent: n.Agents[s].Agent, Score: l.score(c, n, last), Flagged: len(c.Flags) > 0, Correct: c.Correct}
	if l.Reward.ByScore {
		a.Correct = reward.RightByScore(a.Score)
	}
	// A joint score has the penalties of the whole team. What is taken off an own score makes a right answer no wrong one.
	if !l.Reward.Joint {
		a.Score -= c.Penalty
	}
	return a
}

// score is what a design makes rewards of: the verifier's score of an answer, or that of all answers of its turn. Without a
// verifier only the last turn has a signal (MAPoRL §2.4). A turn that waits for others to speak has the joint score 0.
func (l *learner) score(c *rollout.Completion, n *rollout.Node, last bool) float64 {
	switch {
	case l.Reward.Joint:
		return n.Rewards[0]
	case l.Reward.FinalOnly && !last:
		return 0
	}
	return c.Score
}
