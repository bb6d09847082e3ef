package recipe

import (
	"cmp"
	"fmt"
	"slices"

	"parley/learn"
	"parley/recipe/keys"
	"parley/recipe/teams"
)

// Sharing says which policies the agents of a recipe use. Agents that name one base have one base, if they compute on one engine.
func (r *Recipe) Sharing() learn.Sharing {
	bases, of := map[string]int{}, make([]int, r.Seats())
	places := teams.Places(r.Bases(), r.Team.Agents, r.Soloist(), r.Engine.Tinker.URL)
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
	o := r.Optimizer
	o.LR = *cmp.Or(own.LR, &o.LR)
	o.Beta1, o.Beta2 = *cmp.Or(own.Beta1, &o.Beta1), *cmp.Or(own.Beta2, &o.Beta2)
	o.WeightDecay, o.ClipNorm = *cmp.Or(own.WeightDecay, &o.WeightDecay), *cmp.Or(own.ClipNorm, &o.ClipNorm)
	o.Warmup = *cmp.Or(own.Warmup, &o.Warmup)
	return o
}

// A Schedule says which learning rates policies have over a run, and how many optimizer steps a policy takes at most. Agent is empty where all
// policies have the recipe's optimizer.
type Schedule struct {
	Agent  string `json:"agent,omitempty"`
	Warmup int    `json:"warmup"` // steps
	Steps  int    `json:"steps"`
	learn.Rates
}

// Schedules are those of the policies of a recipe, each once; none where nothing learns. The learning rate is that of the recipe: auto has to be
// chosen before.
func (r *Recipe) Schedules() ([]Schedule, error) {
	o, err := r.Outline()
	if err != nil {
		return nil, err
	}
	kind := r.AlgorithmType()
	policies := o.Trained(kind.CriticsUnder(o.Settings).Beside())
	if kind.Untrained || kind.Alone || policies == 0 {
		return nil, nil
	}
	steps, updates := kind.StepsOf(o)/policies, o.Updates
	if kind.KeptOf(o) > 0 { // all that is learned is learned in the last update
		updates = 1
	}
	if steps == 0 {
		return nil, nil
	}
	var out []Schedule
	for agent := range r.Seats() {
		of := r.OptimizerOf(agent)
		one := Schedule{Warmup: of.Warmup, Steps: steps, Rates: of.Rates(updates, steps)}
		if of != r.Optimizer {
			one.Agent = r.AgentName(agent)
		}
		if !r.Policies.IsFrozen(agent) && !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out, nil
}

// longest is a run of so many problems in all its updates that no warm-up is longer.
const longest = 1 << 20

// cutShort says of warm-ups that are longer than the run how far they come.
func (r *Recipe) cutShort() (list []string) {
	if t := r.Training; t.Updates > longest/t.Problems { // no need to count
		return nil
	}
	schedules, err := r.Schedules()
	if err != nil {
		return nil
	}
	for _, s := range schedules {
		key := "optimizer"
		if s.Agent != "" {
			key = "team.agents." + s.Agent + ".optimizer"
		}
		if s.Warmup > s.Steps {
			list = append(list, fmt.Sprintf("%[1]s.warmup is %[2]d steps, but a policy takes at most %[3]d: its learning rate comes to %.2[4]g of %[1]s.lr; write %[5]d or fewer",
				key, s.Warmup, s.Steps, float64(s.Steps)/float64(s.Warmup), max(1, s.Steps/4)))
		}
	}
	return list
}
