package progress

import (
	"parley/recipe"
	"parley/runs"
)

// A Kind is what the time of a stage goes by.
type Kind int

const (
	StageMeasuring Kind = iota // answers are drawn and scored
	StageTraining              // and learned from
)

// The names of the stages in which something is trained.
const (
	Team        = "team"
	SingleAgent = "single agent"
)

// Panel is the stage of the measurements of a team while it is trained: they go by the time of measuring, and are done as far as the training is.
const Panel = "panel"

// A Stage is a part of a run: a system is measured, or a team is trained.
type Stage struct {
	Name    string // of the system that is measured, or of the training
	Kind    Kind
	Answers int // about how many are drawn
}

// Stages lists those of a run of r with so many updates, in their order. A baseline that votes is taken to need as many answers as the team
// gives: how many its tokens pay for is known once the team has been measured.
func Stages(r *recipe.Recipe, updates int) []Stage {
	perProblem := 1
	if !r.OneModel() {
		perProblem = r.Answers(r.MeasuredAgents())
	}
	measured := func(system string, answers int) Stage {
		return Stage{system, StageMeasuring, r.Eval.Problems * answers}
	}
	training := Stage{Team, StageTraining, updates * r.Training.Problems * answersPerProblem(r)}
	list := []Stage{measured(runs.OffTheShelf, perProblem), training}
	if times, problems := r.Eval.Panels(updates); times > 0 {
		list = append(list, Stage{Panel, StageMeasuring, times * problems * perProblem})
	}
	list = append(list, measured(runs.Trained, perProblem))
	if n := r.Eval.Passes; n > 1 {
		list = append(list, measured(runs.OffTheShelfVote, n*perProblem), measured(runs.TrainedVote, n*perProblem))
	}
	for _, agent := range r.Team.Agents.Names() {
		for _, kind := range r.Eval.Ablations {
			list = append(list, measured(runs.Ablation(kind, agent), perProblem))
		}
	}
	for _, system := range r.Eval.Baselines {
		switch system {
		case runs.TrainedSingle: // the last of all
		case runs.Single:
			list = append(list, measured(system, 1))
		case runs.OffTheShelfDouble:
			list = append(list, measured(system, 2*perProblem))
		default:
			list = append(list, measured(system, perProblem))
		}
	}
	for _, system := range r.Eval.Baselines {
		if system == runs.TrainedSingle {
			alone := training
			alone.Name = SingleAgent
			list = append(list, alone, measured(system, perProblem))
		}
	}
	return list
}

// answersPerProblem is how many answers an update draws for each of its problems, without early ends.
func answersPerProblem(r *recipe.Recipe) int {
	size, err := r.Size()
	if err != nil {
		return 1 // beyond counting: refused elsewhere
	}
	return max(size.Generations, 1)
}
