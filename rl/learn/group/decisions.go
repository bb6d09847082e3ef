package group

import (
	"fmt"

	"parley/internal/tie"
	"parley/rl/credit/workflow"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// creditDecisions gives every candidate of a decision what its turn paid (AT-GRPO, arXiv 2510.11062), compared with the other candidates:
//
//	r_k = α·r_team,k + r_own,k            A_k = r_k − mean(r), with credit.std divided by their deviation
//
// with the mean over the candidates of one prompt: agent i in turn t from the state that it is in. One agent and one turn are GRPO, and n agents over
// T turns are n·T groups. There is no return: what later turns earn does not reach a candidate. A candidate that the environment failed at takes no part, and neither does a
// decision with fewer than two others.
func (l *learner) creditDecisions(e *rollout.Episode, stats *learn.Stats) error {
	rule := *l.settings.Decisions()
	rule.Spread = l.credit.Spread()
	for i, n := range e.Nodes {
		if len(n.Agents) != 1 || n.Rewards == nil {
			return fmt.Errorf("node %d: algorithm atgrpo credits the candidates of one agent", i)
		}
		rule.K = len(n.Joint)
		candidates := n.Candidates()
		d, err := rule.Decide(candidates, 0)
		if err != nil {
			return err
		}
		for k, c := range candidates {
			said := &n.Agents[0].Completions[n.Joint[k][0]]
			said.Reward, said.Advantage = d.Scores[k], d.Advantages[k]
			if c.Failed || !d.Learns {
				said.Masked = true // neither compared nor learned from
			}
			if !c.Failed {
				stats.AddReturn(n.Agents[0].Agent, d.Scores[k])
			}
		}
	}
	return nil
}

// creditBranches compares every message with its alternatives by what follows them (C3, arXiv 2603.06859):
//
//	v = r + γ·mean of the alternatives' v below, or the mean of all leaves below        A = v − mean of the siblings' v without it
//
// A message at depth d has f_d − 1 siblings, which share the transcript above it: they differ in what was said here, and in what chance made of it.
// This is MARLOO on a tree of one agent a node, with fan-outs by turn; credit.loo none has the mean of all siblings in its place.
func (l *learner) creditBranches(e *rollout.Episode, stats *learn.Stats) error {
	rule := workflow.BranchRule{
		Variant: workflow.RewardOnly, Baseline: workflow.LeaveOne, Backup: l.settings.Backup, NoReplay: l.settings.Siblings == "role", Gamma: l.settings.Gamma(), Normalize: l.settings.Normalize,
	}
	if l.credit.Leave(learn.Alternatives) == workflow.LeaveNone {
		rule.Baseline = workflow.FullMean
	}
	for root, n := range e.Nodes {
		if n.Parent >= 0 || e.FailedSample(n.Sample) {
			continue
		}
		tree, said, agents, err := l.alternatives(e, root)
		if err != nil {
			return err
		}
		credited, _, err := rule.Credit(tree)
		if err != nil {
			return err
		}
		for i, c := range credited {
			said[i].Reward, said[i].Advantage = c.Value, c.Advantage
			stats.AddReturn(agents[i], c.Value)
		}
	}
	if len(l.settings.Replay) > 0 {
		maskAlone(e)
	}
	return nil
}

// maskAlone leaves out of the loss what has no alternative, so that it is a mean over the messages that were gone back to.
func maskAlone(e *rollout.Episode) {
	for _, n := range e.Nodes {
		if len(n.Joint) == 1 {
			n.Agents[0].Completions[0].Masked = true
		}
	}
}

// alternatives are an episode from one of its roots on as a tree of messages, with their completions and agents depth-first, as [branch.Rule.Credit] lists them. Rewards are
// those that each agent learns from.
func (l *learner) alternatives(e *rollout.Episode, root int) (tree []workflow.BranchNode, said []*rollout.Completion, agents []int, err error) {
	type place struct{ node, action int }
	next := map[place]int{}
	for i, n := range e.Nodes {
		if len(n.Agents) != 1 {
			return nil, nil, nil, fmt.Errorf("node %d: algorithm c3 credits the messages of one agent", i)
		}
		next[place{n.Parent, n.ParentAction}] = i
	}
	var walk func(i int) []workflow.BranchNode
	walk = func(i int) []workflow.BranchNode {
		n := e.Nodes[i]
		agent := n.Agents[0].Agent
		w := l.WeightsOf(agent)
		rewards := make([]float64, len(n.Joint))
		for j := range rewards {
			rewards[j] = w.Of(n, agent, j)
		}
		rewards = tie.Levels(rewards, l.Reward.Width)
		out := make([]workflow.BranchNode, len(n.Joint))
		for j := range out {
			said, agents = append(said, &n.Agents[0].Completions[n.Joint[j][0]]), append(agents, agent)
			out[j] = workflow.BranchNode{Agent: l.RoleName(agent), Reward: rewards[j]}
			if child, ok := next[place{i, j}]; ok {
				out[j].Children = walk(child)
			}
		}
		return out
	}
	return walk(root), said, agents, nil
}
