package lineup

import (
	"slices"

	"parley/engine"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/reward"
	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/task/answer"
	"parley/team"
	"parley/train/plan"
)

// Learning is what a learner is told of the team's run. Its steps are counted from nothing.
func (l Lineup) Learning(actors []rollout.Actor) learn.Config {
	r := l.Recipe
	reward := rewards(r)
	least, most := l.Scorer.ProcessedRange()
	reward.Width = most - least
	if a, ok := l.Protocol.(team.Answering); ok {
		reward.Answered = a.Answers()
	}
	kl := map[engine.Policy]float64{}
	optimizers := map[engine.Policy]learn.Optimizer{}
	for _, t := range l.Sharing.Trained(l.Protocol.Turns(), false) {
		if plan.Agent(r, t.Agent).Optimizer.Own() {
			optimizers[t.Policy] = r.OptimizerOf(t.Agent)
		}
		if own := plan.Agent(r, t.Agent).KL; own != nil {
			kl[t.Policy] = *own
		}
	}
	var weights []learn.RewardWeights
	for agent := range r.Team.Agents.Named {
		weights = append(weights, learn.RewardWeights(plan.Agent(r, agent).Reward))
	}
	return learn.Config{
		Weights: weights, Voters: voters(r),
		Optimizers: optimizers, KL: kl,
		Algorithm: r.Algorithm, Settings: r.LearningSettings(), Optimizer: r.Optimizer, Reward: reward, Seed: r.Seed,
		Updates: r.Training.Updates, RoleGradients: r.Training.RoleGradients, Problems: r.Training.Problems, MaxTokens: r.Sampling.MaxTokens, Truncate: r.Truncate == "left",
		Actors: actors, Sharing: l.Sharing, Turns: l.Protocol.Turns(), Game: r.Task.Name, Lead: r.Soloist(), Steps: learn.StepCounts{}, Tops: learn.StepCounts{},
		EpochEnds: func(update int) bool { return update+1 == r.Training.Updates || l.Training.EpochEnds(update) },
	}
}

// voters are the agents whose vote is the answer of a workflow's team.
func voters(r *recipe.Recipe) (out []int) {
	answer, names := r.Team.Answer, r.Team.Agents.Names()
	if answer.Word != keys.AnswerVote {
		return nil
	}
	if len(answer.Names) == 0 {
		answer.Names = names
	}
	for _, name := range answer.Names {
		out = append(out, slices.Index(names, name))
	}
	return out
}

// rewards says how the scores of a debate become what its answers earn.
func rewards(r *recipe.Recipe) learn.Reward {
	o := r.Reward
	return learn.Reward{
		Scheme: reward.Scheme{
			Design: reward.Design(o.Design), Gamma: o.Gamma, Penalty: o.Penalties.Size, PenaltyScope: reward.Scope(o.Penalties.Scope),
			Incentives:    reward.Coefficients{Alpha0: o.Incentives.Alpha0, Alpha1: o.Incentives.Alpha1, Beta0: o.Incentives.Beta0, Beta1: o.Incentives.Beta1},
			IncentiveRule: reward.IncentiveRule(o.Incentives.Rule),
		},
		Joint: o.Source == "joint" || o.Source == "user", FinalOnly: o.Source == "final-label", ByScore: o.Incentives.By == "verifier",
		Unreadable: answer.Invalid(r.Eval.Invalid),
	}
}

// restarting is the protocol, in which agents may drop what they said where the recipe has a word for that.
func (l Lineup) restarting() team.Protocol {
	if word := recipe.Section[words.Credit](l.Recipe).Influence.Restart; word != "" {
		return team.Restart(l.Protocol, word)
	}
	return l.Protocol
}

// recordInfluence makes a rollout record the prompts that messages would have had without others, where credit asks for what these did.
func (l Lineup) recordInfluence(r *rollout.Runner) {
	i := recipe.Section[words.Credit](l.Recipe).Influence
	if rule := (keep.Counterfactual{Masked: i.Alpha > 0, Restart: i.Restart}); i.Asked() {
		r.Finish = func(purpose string, episodes []*rollout.Episode) { rule.Add(r, purpose, episodes) }
	}
}
