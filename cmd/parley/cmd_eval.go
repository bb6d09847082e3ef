package main

import (
	"errors"

	"parley/engine/native"
	"parley/recipe"
	"parley/runs"
	"parley/train"
)

type evalCmd struct {
	Target string   `arg:"" name:"run-or-recipe" help:"Folder or name of a run, or name or file of a recipe."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable. Not allowed with a run."`
	JSON   bool     `name:"json" help:"Print the report as one JSON object."`
}

func (evalCmd) Help() string {
	return `Evaluates a team on held-out problems without training. A run: its team before and after training. A recipe: its untrained team. Both are compared with the recipe's untrained baselines, at the same number of generated tokens. Nothing is written to disk.

Examples:

    parley eval debate-sums-s1
    parley eval debate-sums --set eval.problems=100 --json

Exit codes: 0 evaluated; 1 failed; 2 there is no such run or recipe, or it is wrong; 130 interrupted.`
}

func (c *evalCmd) Run(a *app) error {
	options, err := c.options(a)
	if err != nil {
		return err
	}
	result, err := a.watched(train.Evaluate, options)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(result.Report)
	}
	return a.printText(result.Text)
}

// options finds out whether a run or a recipe is meant. A run has the preference: a recipe can also be named by its file.
func (c *evalCmd) options(a *app) (train.Options, error) {
	o := train.Options{Backend: native.Backend{}, Language: a.language, MaxUpdates: -1, Version: versionString()}
	dir, noRun := findRun(c.Target)
	var usage *usageError
	switch {
	case noRun == nil && len(c.Set) > 0:
		return o, usagef("--set changes a recipe, but %s is a run: its recipe is what it was trained with", dir)
	case noRun == nil:
		o.Dir = dir
		return o, nil
	case !errors.As(noRun, &usage):
		return o, noRun
	}
	r, err := a.language.Load(c.Target, c.Set)
	var unknown *recipe.UnknownError
	if errors.As(err, &unknown) {
		return o, unknownTarget(c.Target)
	}
	o.Recipe = r
	return o, err
}

// unknownTarget is the error for a name that is neither a run's nor a recipe's.
func unknownTarget(name string) error {
	names := recipe.Names()
	if list, err := runs.List(runs.Root()); err == nil {
		for _, s := range list {
			names = append(names, s.Name)
		}
	}
	if near := recipe.Nearest(name, names); near != "" {
		return usagef("there is no run and no recipe %q; did you mean %q?", name, near)
	}
	return usagef("there is no run and no recipe %q; `parley run list` and `parley recipe list` show them", name)
}
