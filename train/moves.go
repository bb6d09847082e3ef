package train

import (
	"fmt"

	"parley/credit"
	"parley/engine"
	"parley/rollout"
)

// A move is one answer of an agent in a turn, as an actor-critic sees it.
type move struct {
	answer
	critique engine.Datum // what the critic reads; its value is that of the state after the last token
	reward   float64      // of the joint action, less the answer's own penalty
	value    float64      // at rollout
	target   float64
	delta    float64
}

// A path holds the moves of one agent from the first turn to the last one played.
type path []*move

// pathsIn lists the paths of all trained agents: through the turns of dialogues with one completion a turn, or one for each
// completion of a single turn.
func pathsIn(e *rollout.Episode) ([]path, error) {
	group := len(e.Nodes[0].Joint)
	if group > 1 && len(e.Nodes) > 1 {
		return nil, fmt.Errorf("%d joint actions a node over %d nodes: an actor-critic follows a single dialogue", group, len(e.Nodes))
	}
	var out []path
	for k := range group {
		for s := range e.Nodes[0].Agents {
			var p path
			for _, n := range e.Nodes {
				agentTurn := &n.Agents[s]
				if agentTurn.Policy == engine.Base {
					continue
				}
				p = append(p, &move{answer: answer{turn: n.Turn, agentTurn: agentTurn, completion: &agentTurn.Completions[n.Joint[k][s]]}, reward: n.Rewards[k]})
			}
			if len(p) > 0 {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// estimate fills in targets and temporal-difference errors (magrpo.md §5).
func (p path) estimate(discount float64) error {
	rewards, values := make([]float64, len(p)), make([]float64, len(p))
	for t, m := range p {
		rewards[t], values[t] = m.reward, m.value
	}
	targets, deltas, err := credit.TDTargets(rewards, values, discount)
	if err != nil {
		return err
	}
	for t, m := range p {
		m.target, m.delta = targets[t], deltas[t]
		m.completion.Reward, m.completion.Advantage = m.reward, m.delta
	}
	return nil
}
