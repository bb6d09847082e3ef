package train

import (
	"parley/internal/usererror"
	"parley/task"
)

// heldOut draws the problems that the recipe measures on.
func (s *session) heldOut() ([]task.Problem, error) {
	held, err := s.task, error(nil)
	if s.recipe.Eval.Task.Other() {
		if held, err = openTask(s.recipe.Language(), s.recipe.Measured(), s.recipe.Team.Agents); err != nil {
			return nil, err
		}
	}
	test, err := held.Problems(task.Test, s.recipe.Eval.Problems)
	if err != nil {
		return nil, usererror.Errorf("held-out problems of task %s: %w", held.Name(), err)
	}
	s.measured = held
	return test, nil
}

// examination returns the session as it is measured: where another task is measured than is trained on, with that task, its prompts
// and its way of reading answers, on the same bases and policies.
func (s *session) examination() (*session, error) {
	if s.measured == s.task {
		return s, nil
	}
	r := *s.recipe
	r.Task = s.recipe.Measured()
	x := *s
	x.recipe, x.task = &r, s.measured
	var err error
	if x.protocol, err = newProtocol(&r); err != nil {
		return nil, &UserError{Err: err}
	}
	x.scorer = s.scorer.ForTask(&r, s.measured.(task.Answerer))
	return &x, nil
}
