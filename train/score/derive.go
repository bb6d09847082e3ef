package score

import (
	"parley/recipe"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/user"
)

// Inference is the scorer of a measurement: it asks for scores only where prompts of later turns show them.
func (s *Scorer) Inference() *Scorer {
	out := *s
	out.inference = true
	return &out
}

// ByTask is the scorer without its joint model: the task's rewards count.
func (s *Scorer) ByTask() *Scorer {
	out := *s
	out.model = nil
	return &out
}

// WithoutVerifiers is the scorer for answers that no agent sees.
func (s *Scorer) WithoutVerifiers() *Scorer {
	out := *s
	out.verifiers = nil
	return &out
}

// ForTask is the scorer of r, which measures the same team on another task with answers that can be compared.
func (s *Scorer) ForTask(r *recipe.Recipe, t task.Answerer) *Scorer {
	out := *s
	out.recipe, out.answerer = r, t
	return &out
}

// ForAgents is the scorer of r, whose i-th agent is as the agents[i]-th of this scorer.
func (s *Scorer) ForAgents(r *recipe.Recipe, agents []int) *Scorer {
	out := *s
	out.recipe, out.codecs, out.verifiers = r, pick(s.codecs, agents), nil
	if len(s.verifiers) > 0 {
		out.verifiers = pick(s.verifiers, agents)
	}
	return &out
}

func pick[T any](list []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = list[k]
	}
	return out
}

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

// OwnRewards are what an episode paid single agents beside the team, as a mean; nil: nothing. Of an episode that branches it is that of its ways, each
// branch being as likely as the others.
func OwnRewards(episodes []*rollout.Episode, agents int) []float64 {
	sums, paid := make([]float64, agents), false
	for _, e := range episodes {
		branches := map[int]float64{}
		for _, n := range e.Nodes {
			branches[n.Parent]++
		}
		likely := make([]float64, len(e.Nodes))
		for i, n := range e.Nodes {
			if likely[i] = 1 / branches[n.Parent]; n.Parent >= 0 {
				likely[i] *= likely[n.Parent]
			}
			for _, own := range n.Own {
				for a, x := range own {
					sums[a] += likely[i] * x / float64(len(n.Own))
					paid = paid || x != 0
				}
			}
		}
	}
	if !paid {
		return nil
	}
	for a := range sums {
		sums[a] /= float64(len(episodes))
	}
	return sums
}
