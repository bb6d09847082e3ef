package train

import (
	"fmt"

	"parley/internal/usererror"
	"parley/task"
	"parley/team"
)

// dropLong leaves out training problems whose questions are longer than the recipe allows, and counts them. Held-out problems stay.
func (s *session) dropLong() error {
	most := s.recipe.Task.MaxQuestionTokens
	if most == 0 {
		return nil
	}
	all := s.order.problems
	var kept []task.Problem
	shortest := 0
	for _, p := range all {
		n, err := s.questionTokens(p)
		if err != nil {
			return fmt.Errorf("count the tokens of problem %s: %w", p.ID, err)
		}
		if n <= most {
			kept = append(kept, p)
		}
		if shortest == 0 || n < shortest {
			shortest = n
		}
	}
	if len(kept) == 0 {
		return usererror.Errorf("task %s has no training problem whose question has at most %d tokens: the shortest has %d; raise task.max_question_tokens", s.task.Name(), most, shortest)
	}
	s.order.problems, s.long = kept, len(all)-len(kept)
	return nil
}

// questionTokens is how long a question is as a user message by itself, for the base of the team that makes most tokens of it.
func (s *session) questionTokens(p task.Problem) (int, error) {
	most := 0
	for _, b := range s.bases {
		if len(b.agents) == 0 {
			continue // a rival's, who does not train
		}
		prompt, err := b.model.Prompt([]team.Message{{Role: team.User, Content: p.Question}})
		if err != nil {
			return 0, err
		}
		most = max(most, len(prompt))
	}
	return most, nil
}
