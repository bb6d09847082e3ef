package actorcritic

import (
	"fmt"

	"parley/credit"
	"parley/engine"
	"parley/learn"
	"parley/rollout"
)

// A step is one answer of an agent in a turn, as an actor-critic sees it.
type step struct {
	learn.Answer
	critique  engine.Datum // what the critic reads; its value is that of the state after the last token
	reward    float64      // of the joint action, less the answer's own penalty
	value     float64      // at rollout
	target    float64
	delta     float64
	advantage float64 // delta, whitened where that is asked for
}

// A trajectory holds the steps of one agent from the first turn to the last one played.
type trajectory []*step

// trajectoriesIn lists those of all trained agents: through the turns of dialogues with one completion a turn, or one for each
// completion of a single turn.
func trajectoriesIn(e *rollout.Episode) ([]trajectory, error) {
	group := len(e.Nodes[0].Joint)
	if group > 1 && len(e.Nodes) > 1 {
		return nil, fmt.Errorf("%d joint actions a node over %d nodes: an actor-critic follows a single dialogue", group, len(e.Nodes))
	}
	var out []trajectory
	for k := range group {
		for s := range e.Nodes[0].Agents {
			var tr trajectory
			for _, n := range e.Nodes {
				asked := &n.Agents[s]
				if asked.Policy == engine.Base {
					continue
				}
				a := learn.Answer{Turn: n.Turn, AgentTurn: asked, Completion: &asked.Completions[n.Joint[k][s]]}
				tr = append(tr, &step{Answer: a, reward: n.Rewards[k]})
			}
			if len(tr) > 0 {
				out = append(out, tr)
			}
		}
	}
	return out, nil
}

// estimate fills in targets and temporal-difference errors (MAGRPO §5).
func (tr trajectory) estimate(discount float64) error {
	rewards, values := make([]float64, len(tr)), make([]float64, len(tr))
	for t, x := range tr {
		rewards[t], values[t] = x.reward, x.value
	}
	targets, deltas, err := credit.TDTargets(rewards, values, discount)
	if err != nil {
		return err
	}
	for t, x := range tr {
		x.target, x.delta = targets[t], deltas[t]
		x.Completion.Reward, x.Completion.Advantage = x.reward, x.delta
	}
	return nil
}
