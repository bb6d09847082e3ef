// Package preference learns from pairs of joint responses, ordered by their reward (MAGRPO §5).
//
//	madpo.go        the pairs of an update, those that are replayed, and a step of every policy on a batch
//	pairs.go        which pairs of one problem's candidates are learned from; candidates of two teams put together; a step of a reward model on the same pairs
//	parts.go        what each agent wrote in them, scored; what a run costs
//
// A pair is a winner w and a loser l among the joint actions of one node, r_w > r_l. Agent i wrote the part w_i of one and l_i of the
// other. With log π summed over the tokens of a part, and relative to the base where preference.reference is set:
//
//	Δ_i = log π_i(w_i) − log π_i(l_i)
//	madpo  −log σ(β·Σ_j Δ_j)                                     the same for all agents; each holds the others' Δ constant
//	dpo    −(1−s)·log σ(β·Δ_i) − s·log σ(−β·Δ_i)                 of each agent by itself, a share s of labels being wrong
//	ipo    (Δ_i − 1/(2β))²                                       of each agent by itself, Δ of means over tokens
//
// The loss of a batch is the mean over its pairs, each with its weight. It couples texts, so a batch takes two passes: one says what every
// text weighs, the other trains with these weights. A text that stands in several pairs is scored and trained on once. Frozen agents
// have no part.
package preference

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/engine"
	"parley/rl/learn"
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

// LearnOrder takes one step of a reward model, a value adapter, on pairs: data are the winner and the loser of the first, and so on. With s
// the value after the last token of a joint response, the loss is the mean over pairs of −log σ(s_winner − s_loser) (MARLHF, MAGRPO §5).
// It returns the sum of the pairs' losses, and how many of them the model ordered rightly before.
func LearnOrder(ctx context.Context, to learn.PolicyRef, data []engine.Datum, adam engine.Adam) (total float64, right int, err error) {
	out, err := to.Engine.Forward(ctx, data)
	if err != nil {
		return 0, 0, fmt.Errorf("score pairs: %w", err)
	}
	weights := make([]float64, len(data)) // dLoss/ds of every joint response: the negative of each other in a pair
	pairs := float64(len(data) / 2)
	for i := 0; i+1 < len(data); i += 2 {
		winner, loser := float64(out[i].Values[0]), float64(out[i+1].Values[0])
		value, grad := loss.BradleyTerry(winner, loser)
		total += value
		if winner > loser {
			right++
		}
		weights[i], weights[i+1] = grad/pairs, -grad/pairs
	}
	if err := to.Engine.ForwardBackward(ctx, data, loss.ValueWeights(weights)); err != nil {
		return 0, 0, fmt.Errorf("train the reward model: %w", err)
	}
	if _, err := to.Engine.Step(ctx, to.Policy, adam); err != nil {
		return 0, 0, fmt.Errorf("optimizer step of the reward model: %w", err)
	}
	return total, right, nil
}
