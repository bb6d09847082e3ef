package score

import (
	"parley/recipe"
	"parley/task"
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
