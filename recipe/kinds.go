package recipe

import (
	"slices"

	"parley/recipe/catalog"
	"parley/recipe/keys"
	"parley/rl/learn"
	"parley/task"
)

// AlgorithmType is what the recipe's algorithm is; empty where the language does not know it.
func (r *Recipe) AlgorithmType() learn.Algorithm {
	if r.language == nil {
		return learn.Algorithm{}
	}
	a, _ := r.language.Algorithm(r.Algorithm)
	return a
}

// Kind says what the recipe's algorithm learns from.
func (r *Recipe) Kind() learn.Kind { return r.AlgorithmType().Kind }

// Critics says which value heads train beside the policies.
func (r *Recipe) Critics() learn.Critics { return r.AlgorithmType().CriticsUnder(r.LearningSettings()) }

// Completions counts what an agent says at a node in training.
func (r *Recipe) Completions() int { return r.AlgorithmType().CompletionsUnder(r.LearningSettings()) }

// Prefers says that pairs of joint responses are collected.
func (r *Recipe) Prefers() bool {
	return r.Kind() == learn.Preferences || r.Reward.Source == keys.Preferences
}

// trees says that episodes are trees of joint actions, not debates.
func (r *Recipe) trees() bool { return r.Kind() != learn.Debates }

// chain says that of these trees the best joint action alone goes on.
func (r *Recipe) chain() bool { return r.trees() && r.Groups().Rollout == "chain" }

// episodes says that a problem has several whole episodes in the place of a tree.
func (r *Recipe) episodes() bool { return r.trees() && r.Groups().Rollout == "episodes" }

// learning names the algorithm, in a reason why keys have no effect.
func (r *Recipe) learning() string { return "algorithm " + r.Algorithm }

// traits are those of the recipe's task.
func (r *Recipe) traits() task.Traits { return r.TaskType().Traits }

// reported says that the task can write what team.feedback shows of an answer, where that is a report that tasks write.
func (r *Recipe) reported() bool {
	mode := r.Team.Feedback
	report := slices.ContainsFunc(r.language.Tasks(), func(t task.Type) bool { return t.Writes(mode) })
	return !report || r.traits().Writes(mode)
}

// unboxed is the setting of the task that lets answers stand without a box; empty: none does.
func (r *Recipe) unboxed() string {
	if s, ok := r.Task.Settings.(task.Unboxed); ok {
		return s.Unboxed()
	}
	return ""
}

// SeesOthers says that prompts of later turns show what the other agents answered.
func (r *Recipe) SeesOthers() bool {
	k := r.protocol()
	return k.Exchanges && r.Team.History == "all" || k.Partial
}

// slices says that team.sandbox_slice chooses what feedback shows.
func (r *Recipe) slices() bool {
	return slices.ContainsFunc(r.traits().Reports, func(report task.Report) bool { return report.Sliced && report.Name == r.Team.Feedback })
}

// Measured is the task whose held-out problems are measured. Settings that say how answers are read and what is done with broken data are
// those of the task that is trained on, where both have them.
func (r *Recipe) Measured() keys.Task {
	if !r.Eval.Task.Other() {
		return r.Task
	}
	return catalog.Measured(r.Task, r.Eval.Task, r.schema(), r)
}

// Votes says that answers of a single agent can be voted on: they have right and wrong, and stand for themselves.
func (r *Recipe) Votes() bool {
	t := r.traits()
	return t.Answers && !(t.Pair() && r.Reward.OfTask())
}
