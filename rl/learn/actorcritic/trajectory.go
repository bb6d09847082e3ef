package actorcritic

import (
	"fmt"
	"slices"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// A step is one answer of an agent in a turn, as an actor-critic sees it: with V_t the critic's value before the answer, it has the target
// T_t = r_t + γ·r_{t+1} + … + γ^n·V_{t+n} over the n turns up to the agent's next one, and the error δ_t = T_t − V_t (MAGRPO §5).
type step struct {
	learn.Answer
	node     *rollout.Node
	action   []int        // the joint action that it is part of
	leads    bool         // it is the first trained answer of its joint action, with which a central critic learns that action once
	critique engine.Datum // what the critic reads; its value is that of the state after the last token
	// rewards are the agent's of the joint actions from this turn on until the one whose value stands for all that follows; the first is less
	// the answer's own penalty. next is a step of that turn; nil: nothing follows.
	rewards   []float64
	next      *step
	value     float64 // V_t, at rollout
	target    float64 // T_t
	delta     float64 // δ_t = T_t − V_t
	advantage float64 // δ', whitened where that is asked for
}

// stepsIn lists the steps of all trained agents, agent by agent, each through its turns: those of each episode of the problem that has not failed, with one
// completion a turn, or for each completion of a single turn. A critic of an agent's own is asked next where that agent speaks again, a central one in the next
// turn in which any trained agent speaks. weights make an agent's rewards of the team's and of its own.
func stepsIn(e *rollout.Episode, central bool, weights func(agent int) learn.RewardWeights) ([]*step, error) {
	var out []*step
	for sample := range e.Samples() {
		if e.FailedSample(sample) {
			continue
		}
		nodes := slices.DeleteFunc(slices.Clone(e.Nodes), func(n *rollout.Node) bool { return n.Sample != sample })
		group := len(nodes[0].Joint)
		if group > 1 && len(nodes) > 1 {
			return nil, fmt.Errorf("%d joint actions a node over %d nodes: an actor-critic follows a single dialogue", group, len(nodes))
		}
		for k := range group {
			turns := make([][]*step, len(nodes)) // the trained speakers of each
			for t, n := range nodes {
				turns[t] = speakers(n, k)
			}
			link(nodes, turns, k, central, weights)
			steps := slices.Concat(turns...)
			slices.SortStableFunc(steps, func(a, b *step) int { return a.AgentTurn.Agent - b.AgentTurn.Agent })
			out = append(out, steps...)
		}
	}
	return out, nil
}

// speakers are the steps of the trained agents that speak at a node, in its k-th joint action. Agents that are frozen, and all in turns that
// are not trained, speak with the base and have no steps; what they say is part of the histories that critics read.
func speakers(n *rollout.Node, k int) []*step {
	var out []*step
	for s := range n.Agents {
		asked := &n.Agents[s]
		if !asked.Learns() {
			continue
		}
		a := learn.Answer{Turn: n.Turn, AgentTurn: asked, Completion: &asked.Completions[n.Joint[k][s]]}
		out = append(out, &step{Answer: a, node: n, action: n.Joint[k], leads: len(out) == 0})
	}
	return out
}

// link says for every step of a dialogue, whose nodes are a path, where its critic is asked next, and gives it the rewards until there: r_t, and those of the turns
// in which nothing is asked. At the end of the dialogue there is no next.
func link(nodes []*rollout.Node, turns [][]*step, k int, central bool, weights func(agent int) learn.RewardWeights) {
	for t, steps := range turns {
		for _, x := range steps {
			agent := x.AgentTurn.Agent
			for later := t; later < len(turns) && x.next == nil; later++ {
				if later > t {
					x.next = follower(turns[later], x, central)
				}
				if x.next == nil {
					x.rewards = append(x.rewards, weights(agent).Of(nodes[later], agent, k))
				}
			}
		}
	}
}

// follower is the step of a later turn whose value goes on from x; nil: there is none in this turn.
func follower(turn []*step, x *step, central bool) *step {
	for _, y := range turn {
		if central || y.AgentTurn.Agent == x.AgentTurn.Agent {
			return y
		}
	}
	return nil
}

// estimate fills in target and temporal-difference error, once all values are there (MAGRPO §5). The completion's Reward is what the
// joint actions earned until the next value.
func (x *step) estimate(discount float64) {
	next := 0.0
	if x.next != nil {
		next = x.next.value
	}
	x.target = credit.TDTarget(x.rewards, next, discount)
	x.delta = x.target - x.value
	x.Completion.Reward, x.Completion.Advantage = credit.TDTarget(x.rewards, 0, discount), x.delta
}
