package main

import (
	"context"
	"fmt"

	"parley/engine/native"
	"parley/recipe"
	"parley/train"
)

type trainCmd struct {
	Recipe     string   `arg:"" optional:"" help:"Name of a shipped recipe, or a recipe file. Default: ${default_recipe}."`
	Out        string   `placeholder:"DIR" help:"Run folder. Default: RECIPE-sSEED in the runs folder, which is PARLEY_RUNS or else runs."`
	Set        []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable."`
	Seed       *int     `placeholder:"N" help:"Seed of all random choices. Short for --set seed=N."`
	Resume     string   `placeholder:"DIR" help:"Continue an interrupted run."`
	MaxUpdates int      `default:"-1" placeholder:"N" help:"Stop training after N updates."`
	DryRun     bool     `help:"Train nothing. Print an upper bound of the cost: tokens, verifier calls, memory, arithmetic. Models and data need not be on this machine."`
	JSON       bool     `name:"json" help:"Print the report as one JSON object; with --dry-run, the estimate."`
}

func (trainCmd) Help() string {
	return `Trains the team of a recipe, evaluates it on held-out problems, and prints a table of results.

A recipe with an experiment is several runs. parley does them one after another and prints one table with their means.

^C stops training. The last checkpoint (by default: the last finished update) is on disk. parley prints the command that continues the run.

Examples:

    parley train
    parley train debate-sums --seed 2 --out runs/mine
    parley train mine.yaml --set team.turns=3 --set optimizer.lr=5e-4
    parley train --resume runs/debate-sums-s1
    parley train mine.yaml --dry-run

Exit codes: 0 trained and evaluated; 1 failed, and the run can be continued; 2 the recipe or the command line is wrong; 130 interrupted.`
}

func (c *trainCmd) Run(a *app) error {
	options, err := c.options(a)
	if err != nil {
		return err
	}
	if c.DryRun {
		if c.Resume != "" {
			return usagef("--dry-run is about a recipe: leave out --resume")
		}
		return a.dryRun(options.Recipe, c.JSON)
	}
	result, err := a.watched(train.Run, options)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(result.Report)
	}
	return a.printText(result.Text)
}

// options reads the recipe, or leaves it to the run that is resumed.
func (c *trainCmd) options(a *app) (train.Options, error) {
	o := train.Options{Backend: native.Backend{}, Language: a.language, Dir: c.Out, MaxUpdates: c.MaxUpdates, Version: versionString()}
	if c.MaxUpdates < -1 {
		return o, usagef("--max-updates is %d, expected at least 0", c.MaxUpdates)
	}
	if c.Resume != "" {
		if c.Out != "" || c.Recipe == "" && (len(c.Set) > 0 || c.Seed != nil) {
			return o, usagef("--resume goes on with the run's own recipe, seed and folder: leave out --out, --set and --seed")
		}
		dir, err := findRun(c.Resume)
		o.Dir, o.Resume = dir, true
		if err != nil || c.Recipe == "" {
			return o, err
		}
	}
	var err error
	o.Recipe, err = a.loadRecipe(c.Recipe, c.Set, c.Seed)
	return o, err
}

// loadRecipe reads the recipe that is named, or the default one, with its changes.
func (a *app) loadRecipe(name string, sets []string, seed *int) (*recipe.Recipe, error) {
	if name == "" {
		name = recipe.DefaultName
	}
	if seed != nil {
		sets = append(sets[:len(sets):len(sets)], fmt.Sprintf("seed=%d", *seed))
	}
	return a.language.Load(name, sets)
}

// watched does some work of package train with its progress on stderr.
func (a *app) watched(do func(context.Context, train.Options) (*train.Result, error), o train.Options) (*train.Result, error) {
	if o.Recipe != nil {
		for _, w := range o.Recipe.Warnings() {
			fmt.Fprintln(a.stderr, "warning:", w)
		}
	}
	ctx, view := a.watch()
	defer view.close()
	o.Observe = view.observe
	return do(ctx, o)
}
