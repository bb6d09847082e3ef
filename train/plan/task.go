package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/sandbox"
	"parley/task"
	"parley/team"
)

// OpenTask opens a task, the recipe's own or the one that it measures, for the recipe's team.
func OpenTask(ctx context.Context, r *recipe.Recipe, t keys.Task) (task.Task, error) {
	kind, known := r.Language().Task(t.Name)
	if !known {
		return nil, usererror.Errorf("open task: task %q is not known: docs/recipes.md lists the tasks", t.Name)
	}
	out, err := kind.Open(ctx, t.Settings, task.Environment{Agents: r.Team.Agents.N, Names: r.Team.Agents.Names(), Cache: model.CacheRoot(), Shown: ShownFields(r)})
	var missing *sandbox.Unavailable
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("open task: %w", err) // the machine's fault, not the recipe's
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("open task: %w", err)
	}
	if err != nil {
		return nil, usererror.Errorf("open task: %w", err)
	}
	return out, nil
}

// ShownFields are the fields of problems that the recipe's own prompts show.
func ShownFields(r *recipe.Recipe) []string {
	p := r.Team.Prompts
	return team.Prompts{System: p.System, First: p.First, Later: p.Later}.FieldNames()
}

// DataSet is where the data set of a task is; empty: it has none, or names none.
func DataSet(kind *task.Type, t keys.Task) string {
	named := ""
	if s, ok := t.Settings.(task.DataReader); ok {
		named = s.DataPath()
	}
	return cmp.Or(named, kind.DataSet)
}
