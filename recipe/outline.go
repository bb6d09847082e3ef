package recipe

import (
	"parley/recipe/keys"
	"parley/recipe/teams"
	"parley/rl/learn"
)

// Sharing says which policies the agents of a recipe use. Agents that name one base have one base, if they compute on one engine.
func (r *Recipe) Sharing() learn.Sharing {
	bases, of := map[string]int{}, make([]int, r.Seats())
	places := teams.Places(r.Bases(), r.Team.Agents, r.Soloist(), r.Engine.Elsewhere())
	for agent := range of {
		name := places[agent]
		if _, known := bases[name]; !known {
			bases[name] = len(bases)
		}
		of[agent] = bases[name]
	}
	return learn.Sharing{Policies: r.Policies, Bases: of, Names: r.AgentNames()}
}

// AgentNames are those that agents have of their own; nil: they have none.
func (r *Recipe) AgentNames() []string {
	if len(r.Team.Agents.Named) == 0 || r.OneModel() {
		return nil
	}
	return r.Team.Agents.Names()
}

// Outline is what an algorithm is told of a run that is not there yet.
func (r *Recipe) Outline() (learn.Outline, error) {
	size, err := r.Size()
	if err != nil {
		return learn.Outline{}, err
	}
	t, problems := r.Training, max(r.Task.Train, 1)
	nodes, ofTurn := 0, 1 // of an episode whose turns branch
	for range r.Team.Turns {
		nodes += ofTurn
		ofTurn *= max(size.Branching, 1)
	}
	return learn.Outline{
		Settings: r.LearningSettings(), Updates: t.Updates, Problems: t.Problems, Sharing: r.Sharing(), Turns: r.Team.Turns,
		Branching: max(size.Branching, 1), Actions: size.EnvSteps / size.Nodes, Episodes: max(1, size.Nodes/max(nodes, 1)),
		EpochEnds: func(update int) bool {
			return update+1 == t.Updates || (update+1)*t.Problems/problems > update*t.Problems/problems
		},
	}, nil
}

// OptimizerOf is the recipe's, but for what an agent has of its own.
func (r *Recipe) OptimizerOf(agent int) learn.Optimizer {
	var own keys.AgentOptimizer
	if !r.OneModel() && agent < len(r.Team.Agents.Named) {
		own = r.Team.Agents.Named[agent].Optimizer
	}
	return teams.Over(r.Optimizer, own)
}

// Schedules are those of the policies of a recipe, each once; none where nothing learns. The learning rate is that of the recipe: auto has to be
// chosen before.
func (r *Recipe) Schedules() ([]teams.Schedule, error) {
	o, err := r.Outline()
	if err != nil {
		return nil, err
	}
	var learners []teams.Agent
	for agent := range r.Seats() {
		one := teams.Agent{Optimizer: r.OptimizerOf(agent)}
		if one.Optimizer != r.Optimizer {
			one.Name = r.AgentName(agent)
		}
		if !r.Policies.IsFrozen(agent) {
			learners = append(learners, one)
		}
	}
	return teams.Of(r.AlgorithmType(), o, learners), nil
}

// longest is a run of so many problems in all its updates that no warm-up is longer.
const longest = 1 << 20

// cutShort warns of warm-ups that are longer than the run.
func (r *Recipe) cutShort() []string {
	if t := r.Training; t.Updates > longest/t.Problems { // no need to count
		return nil
	}
	schedules, err := r.Schedules()
	if err != nil {
		return nil
	}
	return teams.CutShort(schedules)
}
