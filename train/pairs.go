package train

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/loss"
	"parley/recipe"
	"parley/rollout"
)

// A pair is an ordered preference between two joint responses to one problem, with its weight in the loss.
type pair struct {
	node          *rollout.Node
	winner, loser int // joint actions
	weight        float64
}

// pairsOf chooses the pairs of one problem. Of candidates by two teams, the first half is the current one's.
func pairsOf(p recipe.Preference, n *rollout.Node, compared bool, weight float64, rng *rand.Rand) []pair {
	all := loss.PreferencePairs(n.Rewards, 0)
	if compared {
		half := len(n.Joint) / 2
		all = slices.DeleteFunc(all, func(x loss.Pair) bool { return (x.Winner < half) == (x.Loser < half) })
	}
	if p.Choose == "random" {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	if p.Choose != "all" {
		all = all[:min(p.Pairs, len(all))]
	}
	out := make([]pair, len(all))
	for i, x := range all {
		out[i] = pair{n, x.Winner, x.Loser, weight}
	}
	return out
}

// completion is what an agent contributed to a joint action.
func (p pair) completion(actor, action int) *rollout.Completion {
	return &p.node.Agents[actor].Completions[p.node.Joint[action][actor]]
}

// merge adds the candidates of another team for the same problems behind those of the first.
func merge(episodes, more []*rollout.Episode) error {
	for i, e := range episodes {
		n, m := e.Nodes[0], more[i].Nodes[0]
		if len(e.Nodes) != 1 || len(more[i].Nodes) != 1 {
			return fmt.Errorf("internal error: candidates of problem %s take several turns", e.Problem.ID)
		}
		at := len(n.Joint)
		for s := range n.Agents {
			n.Agents[s].Completions = append(n.Agents[s].Completions, m.Agents[s].Completions...)
		}
		for _, action := range m.Joint {
			moved := make([]int, len(action))
			for s, g := range action {
				moved[s] = g + at
			}
			n.Joint = append(n.Joint, moved)
		}
		n.Rewards, n.Scored = append(n.Rewards, m.Rewards...), append(n.Scored, m.Scored...)
		if n.Failed == "" {
			n.Failed = m.Failed
		}
	}
	return nil
}
