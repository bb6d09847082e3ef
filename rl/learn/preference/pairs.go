package preference

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/rl/loss"
	"parley/rl/rollout"
)

// A Pair is an ordered preference between two joint responses to one problem, with its weight in the loss: 1, or less where it is replayed
// from an earlier iteration.
type Pair struct {
	Node          *rollout.Node
	Winner, Loser int // joint actions
	Weight        float64
}

// Dropped counts the texts of a central comparator that are no candidates, of so many that were written for a problem: they lack the block of an agent.
// Where others write, all that is written is a candidate. A failed node counts none: it may have no texts.
func Dropped(s Settings, written int, e *rollout.Episode) int {
	if n := e.Nodes[0]; s.Central && n.Failed == "" {
		return written - len(n.Joint)
	}
	return 0
}

// PairsOf chooses the pairs of one problem, of the b joint responses of a node with rewards r [b] from a range of a width: r_winner > r_loser by
// more than rounding, so that equal rewards make none. Where two teams wrote the candidates, the first half is the current one's, and pairs compare the two. rng is used for
// random pairs alone.
func PairsOf(s Settings, n *rollout.Node, width, weight float64, rng *rand.Rand) []Pair {
	all := loss.PreferencePairs(n.Rewards, 0, width)
	if s.Comparator != "current" {
		half := s.Candidates / 2 // of the other half some may be no candidates
		all = slices.DeleteFunc(all, func(x loss.Pair) bool { return (x.Winner < half) == (x.Loser < half) })
	}
	if s.Choose == "random" {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	if s.Choose != "all" {
		all = all[:min(s.Pairs, len(all))]
	}
	// The best winner may stand in many of the pairs with the greatest gap: they are kept as they are ordered.
	out := make([]Pair, len(all))
	for i, x := range all {
		out[i] = Pair{n, x.Winner, x.Loser, weight}
	}
	return out
}

// completion is what the s-th speaker of the node contributed to a joint action.
func (p Pair) completion(s, action int) *rollout.Completion {
	return &p.Node.Agents[s].Completions[p.Node.Joint[action][s]]
}

// parts are what the agents contributed to the two responses, agent by agent, [speaker] both. A frozen agent's part is left out,
// since no policy changes it. So is a part that is empty or masked in either response.
func (p Pair) parts(all map[*rollout.Completion]*part) (winner, loser []*part) {
	for s := range p.Node.Agents {
		if w, l := all[p.completion(s, p.Winner)], all[p.completion(s, p.Loser)]; w != nil && l != nil {
			winner, loser = append(winner, w), append(loser, l)
		}
	}
	return winner, loser
}

// Merge adds the candidates of another team for the same problems behind those of the first. Joint actions keep to their team: those of the
// second name completions behind all of the first's. A node whose second half could not be scored has failed.
func Merge(episodes, more []*rollout.Episode) error {
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
		if m.Failed != "" {
			n.Fail(m.Failed)
		}
	}
	return nil
}
