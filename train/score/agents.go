package score

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/rollout"
	"parley/task"
)

// payAgents gives agents what the user's reward pays them for the k-th joint action, by name, or by ordered in agent order. It is the
// agents' own reward, which no processor of the team's changes.
func (s *Scorer) payAgents(n *rollout.Node, k int, score *task.Score, ordered []float64) error {
	if score.Agents == nil && ordered == nil {
		return nil
	}
	names := s.recipe.Team.Agents.Names()
	if err := named(names, score, ordered); err != nil {
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

// named gives the score what agents are paid by their names, and checks that they are those of the team.
func named(names []string, score *task.Score, ordered []float64) error {
	if ordered != nil && len(ordered) != len(names) {
		return fmt.Errorf("\"agents\" has %d rewards, expected one for each of %d agents", len(ordered), len(names))
	}
	if ordered != nil {
		score.Agents = map[string]float64{}
		for i, name := range names {
			score.Agents[name] = ordered[i]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(score.Agents)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("\"agents\" pays %.80q, who is not in the team: its agents are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}
