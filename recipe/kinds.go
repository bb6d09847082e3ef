package recipe

import (
	"slices"

	"parley/recipe/catalog"
	"parley/recipe/keys"
	"parley/task"
)

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
