package score

import (
	"parley/rl/rollout"
	"parley/task"
	"parley/task/user"
)

// payAgents gives agents what the user's reward pays them for the k-th joint action, by name, or by ordered in agent order. It is the
// agents' own reward, which no processor of the team's changes.
func (s *Scorer) payAgents(n *rollout.Node, k int, score *task.Score, ordered []float64) error {
	if score.Agents == nil && ordered == nil {
		return nil
	}
	names := s.recipe.Team.Agents.Names()
	if err := user.Pay(names, score, ordered); err != nil {
		return err
	}
	if n.Own == nil {
		n.Own = make([][]float64, len(n.Joint))
		for j := range n.Own {
			n.Own[j] = make([]float64, len(names))
		}
	}
	for i, name := range names {
		n.Own[k][i] = score.Agents[name]
	}
	return nil
}
