package score

import (
	"parley/rl/learn"
	"parley/rl/rollout"
)

// Earned is what every completion of a node earned in its turn, [speaker][completion], before anything of other turns is credited to it and
// before any penalty for the distance from the base: in a debate its score, or the penalty in its place; else the mean processed reward of
// the joint actions that it is part of. last says that the node is the last of its dialogue. ok is false where the node earns nothing yet,
// because some of the team have not spoken, or nothing at all, because it failed.
func (s *Scorer) Earned(n *rollout.Node, last bool) (rewards [][]float64, ok bool) {
	if n.Failed != "" || s.waited(n) {
		return nil, false
	}
	rewards = make([][]float64, len(n.Agents))
	for speaker := range n.Agents {
		completions := n.Agents[speaker].Completions
		if s.recipe.Kind() != learn.Debates {
			rewards[speaker] = shared(n, speaker, len(completions))
			continue
		}
		for i := range completions {
			rewards[speaker] = append(rewards[speaker], s.debated(n, &completions[i], last))
		}
	}
	return rewards, true
}

// debated is what an answer of a debate earned (maporl.md §2.1).
func (s *Scorer) debated(n *rollout.Node, c *rollout.Completion, last bool) float64 {
	r := s.recipe.Reward
	switch {
	case len(c.Flags) > 0:
		return r.Penalties.Size
	case r.Joint():
		return n.Rewards[0]
	case r.Source == "final-label" && !last:
		return 0
	}
	return c.Score
}

// shared is the mean reward of the joint actions that each completion of a speaker is part of.
func shared(n *rollout.Node, speaker, completions int) []float64 {
	sums, counts := make([]float64, completions), make([]float64, completions)
	for k, action := range n.Joint {
		sums[action[speaker]] += n.Rewards[k]
		counts[action[speaker]]++
	}
	for i := range sums {
		sums[i] /= max(counts[i], 1)
	}
	return sums
}
