package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/task"
	"parley/task/sandbox"
	"parley/team"
)

// OpenTask opens a task, the recipe's own or the one that it measures, for the recipe's team. Who reads problems, and neither plays nor pays, needs no
// programs of the user's and no sandboxes: they are not started.
func OpenTask(ctx context.Context, r *recipe.Recipe, t keys.Task, paid bool) (task.Task, error) {
	return openTask(ctx, r, t, task.Environment{NoScores: !paid})
}

// OpenForAnswers opens the recipe's own task without its problems, and, where nothing is paid either, without the user's programs.
func OpenForAnswers(ctx context.Context, r *recipe.Recipe, paid bool) (task.Task, error) {
	return openTask(ctx, r, r.Task, task.Environment{NoProblems: true, NoScores: !paid})
}

func openTask(ctx context.Context, r *recipe.Recipe, t keys.Task, in task.Environment) (task.Task, error) {
	kind, known := r.Language().Task(t.Name)
	if !known {
		return nil, usererror.Errorf("open task: task %q is not known: docs/recipes.md lists the tasks", t.Name)
	}
	in.Agents, in.Names, in.Cache, in.Shown, in.All = r.Team.Agents.N, r.Team.Agents.Names(), model.CacheRoot(), ShownFields(r), readsAll(r)
	out, err := kind.Open(ctx, t.Settings, in)
	if _, ok := errors.AsType[*sandbox.Unavailable](err); ok {
		return nil, fmt.Errorf("open task: %w", err) // the machine's fault, not the recipe's
	}
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("open task: %w", err)
	}
	if err != nil {
		return nil, usererror.Errorf("open task: %w", err)
	}
	return out, nil
}

// ShownFields are the fields of problems that the recipe's own prompts show, those of its steps and agents too.
func ShownFields(r *recipe.Recipe) []string {
	p := r.Team.Prompts
	names := team.Prompts{System: p.System, First: p.First, Later: p.Later}.FieldNames()
	if r.Stepwise() {
		for _, text := range r.Workflow("").Templates() {
			names = append(names, team.Prompts{First: text}.FieldNames()...)
		}
	}
	for _, word := range r.Team.Harness.Command {
		names = append(names, team.Prompts{First: word}.FieldNames()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// readsAll says that somebody may read every field of a problem, whatever prompts show: a reward of the user's own, a verifier that is a program or
// a server, a script or a program that speaks for an agent, a program or an expression of the team, the program in which it works.
func readsAll(r *recipe.Recipe) bool {
	switch r.Reward.Source {
	case "user", "program", "server":
		return true
	}
	if r.Harnessed() || r.Team.Program != "" || r.Stepwise() && r.Workflow("").ReadsProblem() {
		return true
	}
	return slices.ContainsFunc(r.Team.Agents.Named, func(a keys.Agent) bool { return a.Script != "" || len(a.Program) > 0 })
}

// DataSet is where the data set of a task is; empty: it has none, or names none.
func DataSet(kind *task.Type, t keys.Task) string {
	named := ""
	if s, ok := t.Settings.(task.DataReader); ok {
		named = s.DataPath()
	}
	return cmp.Or(named, kind.DataSet)
}
