package teams

// This file says which learning rates the policies of a run have, before there is a run.

import (
	"cmp"
	"fmt"
	"slices"

	"parley/recipe/keys"
	"parley/rl/learn"
)

// A Schedule says which learning rates policies have over a run, and how many optimizer steps a policy takes at most. Agent is empty where all
// policies have the recipe's optimizer.
type Schedule struct {
	Agent  string `json:"agent,omitempty"`
	Warmup int    `json:"warmup"` // steps
	Steps  int    `json:"steps"`
	learn.Rates
}

// An Agent is one that learns, and how.
type Agent struct {
	Name      string // empty: it has the recipe's optimizer
	Optimizer learn.Optimizer
}

// Over is an optimizer with an agent's own settings over it.
func Over(o learn.Optimizer, own keys.AgentOptimizer) learn.Optimizer {
	o.LR = *cmp.Or(own.LR, &o.LR)
	o.Beta1, o.Beta2 = *cmp.Or(own.Beta1, &o.Beta1), *cmp.Or(own.Beta2, &o.Beta2)
	o.WeightDecay, o.ClipNorm = *cmp.Or(own.WeightDecay, &o.WeightDecay), *cmp.Or(own.ClipNorm, &o.ClipNorm)
	o.Warmup = *cmp.Or(own.Warmup, &o.Warmup)
	return o
}

// Of are the schedules of agents that learn by an algorithm, each once; none where nothing learns.
func Of(kind learn.Algorithm, o learn.Outline, agents []Agent) (list []Schedule) {
	policies := o.Trained(kind.CriticsUnder(o.Settings).Beside())
	if kind.Untrained() || kind.Alone() || policies == 0 {
		return nil
	}
	steps, updates := kind.StepsOf(o)/policies, o.Updates
	if kind.Gathers(o) {
		updates = 1
	}
	if steps == 0 {
		return nil
	}
	for _, a := range agents {
		one := Schedule{Agent: a.Name, Warmup: a.Optimizer.Warmup, Steps: steps, Rates: a.Optimizer.Rates(updates, steps)}
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// CutShort says of warm-ups that are longer than the run how far they come.
func CutShort(schedules []Schedule) (list []string) {
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
