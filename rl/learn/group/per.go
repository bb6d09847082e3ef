package group

import (
	"parley/rl/loss"
	"parley/rl/rollout"
)

// perMessage says that losses are means over nodes, which in whole episodes are messages: what [loss.NewGroupBatch] does by itself. A mean over
// tokens is one over those of all messages, where a node alone has no others.
func (l *learner) perMessage() bool {
	return l.settings.Rollout != "episodes" || l.per == loss.PerMessages && l.settings.Reduction != string(loss.TokenMean)
}

// factors are those of the tokens of every message in a step; nil: as losses of nodes are added up. With u units the loss of a step is
//
//	−Σ_m A_m·Σ_t f_m·w_mt·log π(t)         f = 1/u, 1/(u·n) or 1/size by the reduction, for a message of n tokens
//
// where u are the messages of the step, or its agent's; or, whatever part of them is in the step, E·T of the update's E episodes, or E.
func (l *learner) factors(samples []nodeSample) ([]float64, error) {
	if l.perMessage() {
		return nil, nil
	}
	counted := make([]loss.Counted, len(samples))
	for i, s := range samples {
		counted[i] = s.counted
	}
	return l.per.Factors(loss.Reduction(l.settings.Reduction), counted, l.whole)
}

// wholeOf counts the episodes of an update, and the messages of each that are learned from: T of multi-turn GRPO.
func (l *learner) wholeOf(episodes []*rollout.Episode, update int) loss.Whole {
	var counted []loss.Counted
	played := 0
	for _, e := range episodes {
		for sample := range e.Samples() {
			if !l.dropped(e, sample) {
				played++
			}
		}
		for _, n := range e.Nodes {
			if l.dropped(e, n.Sample) {
				continue
			}
			for i := range n.Agents {
				if a := &n.Agents[i]; a.Learns() && !a.Completions[0].Masked && !l.waits(a.Agent, update) {
					counted = append(counted, messageOf(e, n, a))
				}
			}
		}
	}
	return loss.WholeOf(played, counted)
}

// messageOf is what a loss counts of an agent's answer at a node.
func messageOf(e *rollout.Episode, n *rollout.Node, a *rollout.AgentTurn) loss.Counted {
	const most = 1 << 20 // episodes of a problem
	return loss.Counted{Agent: a.Agent, Episode: e.Index*most + n.Sample, Tokens: len(a.Completions[0].Tokens)}
}

// dropped says that nothing is learned from one of the episodes of a problem.
func (l *learner) dropped(e *rollout.Episode, sample int) bool {
	return l.credit.Failed != "keep" && e.FailedSample(sample)
}
