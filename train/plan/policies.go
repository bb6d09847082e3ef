package plan

import (
	"fmt"

	"parley/engine"
	"parley/internal/seed"
	"parley/recipe"
	"parley/recipe/teams"
	"parley/rl/learn"
	"parley/rl/learn/actorcritic"
	"parley/rl/learn/preference"
	"parley/rl/rollout"
)

// RewardPolicy is the value adapter that scores joint responses where reward.source is preferences.
const RewardPolicy engine.Policy = "value-reward"

// Embedded says that an agent speaks and learns on the engine of this machine, and not where the recipe has engines elsewhere.
func Embedded(r *recipe.Recipe, agent int) bool {
	return teams.Embedded(r.Team.Agents, agent, r.Soloist(), r.Engine.Elsewhere())
}

// A Policy is one that a run trains, or keeps.
type Policy struct {
	Name engine.Policy
	Base int // of the sharing's
	Spec engine.PolicySpec
}

// Policies lists what a run trains: the policies of its agents, their critics, a reward model.
func Policies(r *recipe.Recipe, s learn.Sharing, turns int) []Policy {
	var out []Policy
	add := func(name engine.Policy, agent int) {
		out = append(out, Policy{Name: name, Base: s.Bases[agent], Spec: spec(r, len(out), name, agent)})
	}
	critics := r.Critics()
	for _, t := range s.Trained(turns, critics.Beside()) {
		add(t.Policy, t.Agent)
	}
	if r.Reward.Source == "preferences" {
		add(RewardPolicy, r.Soloist())
	}
	if critics == learn.CriticsCentral {
		add(learn.CentralCritic, r.Soloist())
	}
	return out
}

// Kept lists everything that a checkpoint holds: the policies, the snapshots that opponents are drawn from, and what the policies were when
// iterations began.
func Kept(r *recipe.Recipe, s learn.Sharing, turns int) []Policy {
	out := Policies(r, s, turns)
	keep := func(name engine.Policy, t learn.Trainee) {
		out = append(out, Policy{Name: name, Base: s.Bases[t.Agent], Spec: spec(r, len(out), name, t.Agent)})
	}
	for i := range snapshots(r) {
		for _, t := range s.Trained(turns, false) {
			keep(opponent(t.Policy, i), t)
		}
	}
	if !r.Prefers() {
		return out
	}
	for i := 1; i < recipe.Section[preference.Settings](r).Iterations; i++ {
		for _, t := range s.Trained(turns, false) {
			keep(Snapshot(t.Policy, i), t)
		}
	}
	return out
}

// Snapshot names a policy as it was when an iteration began, from 0. The first began with the base.
func Snapshot(p engine.Policy, iteration int) engine.Policy {
	if iteration <= 0 || p == engine.Base {
		return engine.Base
	}
	return engine.Policy(fmt.Sprintf("%s-iteration%d", p, iteration+1))
}

// spec is what the i-th policy of the recipe trains, which is that of an agent.
func spec(r *recipe.Recipe, i int, name engine.Policy, agent int) engine.PolicySpec {
	spec := trained(r, agent)
	spec.ValueHead = name == RewardPolicy || r.Critics().Valued(name)
	spec.Seed = seed.Derive(uint64(r.Seed), "policy", i)
	critic := recipe.Section[actorcritic.Settings](r)
	if spec.ValueHead && r.Kind() != learn.Debates {
		spec.ValueInit = critic.Init
	}
	if spec.ValueHead && r.Kind() == learn.ActorCritic && name != RewardPolicy {
		spec.ValueHidden = critic.Hidden
	}
	return spec
}

// Sampling is how the recipe's completions are drawn in training.
func Sampling(r *recipe.Recipe) engine.Sampling {
	return engine.Sampling{Temperature: r.Sampling.Temperature, TopK: r.Sampling.TopK, TopP: r.Sampling.TopP}
}

// ReusesActivations says that what is sampled first is trained on first, by steps that take all of it: the engine may then keep what training
// would compute again.
func ReusesActivations(r *recipe.Recipe) bool {
	g := recipe.Section[learn.Group](r)
	return r.Training.Async == 0 && r.Kind() == learn.GroupRelative && g.Padding == "exact" && g.TrainBatch == 0 && g.Buffer == 0
}

// Truncated is what becomes of answers that reach sampling.max_tokens in training.
func Truncated(r *recipe.Recipe) rollout.Truncated {
	switch s := r.Sampling; s.Truncated {
	case "mask":
		return rollout.Truncated{Mask: true}
	case "penalty":
		return rollout.Truncated{Penalty: s.TruncatedPenalty}
	}
	return rollout.Truncated{}
}
