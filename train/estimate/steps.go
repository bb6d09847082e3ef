package estimate

import (
	"parley/learn"
	"parley/recipe"
	"parley/task"
	"parley/train/plan"
)

// steps counts the optimizer steps of a run, those of critics included, at most: no tree ends early, and all candidates earn different
// rewards. Those of a reward model, before the run proper, are left out.
func steps(r *recipe.Recipe) (int, error) {
	o, err := outline(r)
	if err != nil {
		return 0, err
	}
	return r.AlgorithmType().StepsOf(o), nil
}

// outline is what an algorithm is told of a run that is not there yet.
func outline(r *recipe.Recipe) (learn.Outline, error) {
	size, err := r.Size()
	if err != nil {
		return learn.Outline{}, err
	}
	epochs := plan.ProblemSampler{Problems: make([]task.Problem, max(r.Task.Train, 1)), PerUpdate: r.Training.Problems}
	return learn.Outline{
		Settings: r.LearningSettings(), Updates: r.Training.Updates, Problems: r.Training.Problems,
		Sharing: plan.Sharing(r), Turns: r.Team.Turns, Branching: max(size.Branching, 1), Actions: size.EnvSteps / size.Nodes,
		Episodes:  max(1, int(float64(size.Nodes)/nodesBefore(size, r.Team.Turns))),
		EpochEnds: func(update int) bool { return update+1 == r.Training.Updates || epochs.EpochEnds(update) },
	}, nil
}
