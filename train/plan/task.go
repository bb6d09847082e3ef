package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/sandbox"
	"parley/task"
)

// OpenTask opens a task of a recipe's language for a team of so many agents.
func OpenTask(l *recipe.Language, t recipe.Task, agents int) (task.Task, error) {
	kind, known := l.Task(t.Name)
	if !known {
		return nil, usererror.Errorf("open task: task %q is not known: docs/recipes.md lists the tasks", t.Name)
	}
	out, err := kind.Open(context.Background(), t.Settings, task.Environment{Agents: agents, Cache: model.CacheRoot()})
	var missing *sandbox.Unavailable
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("open task: %w", err) // the machine's fault, not the recipe's
	}
	if err != nil {
		return nil, usererror.Errorf("open task: %w", err)
	}
	return out, nil
}

// DataSet is where the data set of a task is; empty: it has none, or names none.
func DataSet(kind *task.Type, t recipe.Task) string {
	named := ""
	if s, ok := t.Settings.(task.DataReader); ok {
		named = s.DataPath()
	}
	return cmp.Or(named, kind.DataSet)
}
