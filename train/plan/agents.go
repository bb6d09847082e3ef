package plan

import (
	"cmp"

	"parley/engine"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/rl/rollout"
)

// Agent is what an agent, from 0, has of its own; zero where agents have no names.
func Agent(r *recipe.Recipe, agent int) keys.Agent {
	if r.OneModel() || agent >= len(r.Team.Agents.Named) {
		return keys.Agent{}
	}
	return r.Team.Agents.Named[agent]
}

// Draw is how an agent draws answers: as the team does, but for its own settings; nil: it has none. Where the team is allowed a multiple of
// the recipe's tokens, as some systems are that are measured, so is the agent. ownTemperature says that its own temperature counts, and form
// what its answers are texts of.
func Draw(r *recipe.Recipe, agent int, ownTemperature bool, form string) func(rollout.Draw) rollout.Draw {
	own, whole := Agent(r, agent).Sampling, r.Sampling.MaxTokens
	if form == "" && own.Temperature == nil && own.TopK == nil && own.TopP == nil && own.MaxTokens == nil && own.MinTokens == nil {
		return nil
	}
	return func(d rollout.Draw) rollout.Draw {
		if own.Temperature != nil && ownTemperature {
			d.Sampling.Temperature = *own.Temperature
		}
		d.Sampling.TopK = *cmp.Or(own.TopK, &d.Sampling.TopK)
		d.Sampling.TopP = *cmp.Or(own.TopP, &d.Sampling.TopP)
		if own.MaxTokens != nil {
			d.MaxTokens = *own.MaxTokens * max(d.MaxTokens/whole, 1)
		}
		d.MinTokens, d.Form = *cmp.Or(own.MinTokens, &d.MinTokens), form
		return d
	}
}

// trained is what a policy of an agent trains: a full copy of its base, or the recipe's adapter but for what the agent has of its own.
func trained(r *recipe.Recipe, agent int) engine.PolicySpec {
	p, own := r.Policies, Agent(r, agent).Adapter
	if p.Full {
		return engine.PolicySpec{Full: true}
	}
	spec := engine.PolicySpec{Rank: *cmp.Or(own.Rank, &p.Rank), Alpha: *cmp.Or(own.Alpha, &p.Alpha), Targets: p.Targets}
	if len(own.Targets) > 0 {
		spec.Targets = own.Targets
	}
	return spec
}
