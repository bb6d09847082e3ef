package teams

import (
	"cmp"

	"parley/task"
	"parley/team"
)

// DefaultPrompts are what agents are asked about a task where a recipe does not say it: the task's own prompts; else the paper's form for a
// question, or, in a team over the shipped base alone, the short one that it was made with.
func DefaultPrompts(t task.Traits, shippedAlone bool) task.Prompts {
	switch {
	case t.Prompts.First != "":
		return task.Prompts{First: t.Prompts.First, Later: cmp.Or(t.Prompts.Later, team.Maths.Later)}
	case shippedAlone:
		return task.Prompts{First: team.Short.First, Later: team.Short.Later}
	}
	return task.Prompts{First: team.Maths.First, Later: team.Maths.Later}
}
