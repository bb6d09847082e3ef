package rollout

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/internal/seed"
	"parley/rl/credit"
)

// Candidates are the answers of the only agent of a node with what each earned in this turn: the team's reward, and the agent's own.
func (n *Node) Candidates() []credit.Candidate {
	out := make([]credit.Candidate, len(n.Joint))
	for j := range out {
		if out[j].Failed = n.Rewards == nil || slices.Contains(n.Unscored, j); out[j].Failed {
			continue
		}
		out[j].Team = n.Rewards[j]
		if n.Own != nil {
			out[j].Local = n.Own[j][n.Agents[0].Agent]
		}
	}
	return out
}

// decide keeps of the branches of each node the one whose candidate is executed: of a failed node none, of the beginning all.
func (r *Runner) decide(purpose string, branches []*branch) ([]*branch, error) {
	if r.Settings.Decides == nil {
		return branches, nil
	}
	var out []*branch
	for _, b := range branches {
		n := b.from.node
		if n == nil {
			out = append(out, b)
			continue
		}
		e := b.from.episode
		rng := rand.New(rand.NewPCG(seed.Derive(r.Seed, purpose+" pick", e.Update, e.Index, b.from.index), 0))
		rule := *r.Settings.Decides
		rule.K = len(n.Joint) // a step may ask for fewer, and a script gives one
		d, err := rule.Decide(n.Candidates(), rng.Float64())
		if err != nil {
			return nil, fmt.Errorf("problem %s, turn %d: %w", e.Problem.ID, n.Turn+1, err)
		}
		if d.Executed == b.via {
			out = append(out, b)
		}
	}
	return out, nil
}
