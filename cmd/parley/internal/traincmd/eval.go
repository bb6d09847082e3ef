package traincmd

import (
	"errors"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/live"
	"parley/engine/native"
	"parley/recipe"
	"parley/train"
)

// EvalCmd is the verb eval.
type EvalCmd struct {
	Target string   `arg:"" name:"run-or-recipe" help:"Folder or name of a run, or name or file of a recipe."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable. Not allowed with a run."`
	Accept bool     `name:"accept-changed" help:"Measure a run though files or the base are others than it was trained with. The report says so."`
	Trust  bool     `name:"trust" help:"Measure a run that was made elsewhere though its recipe runs programs, asks servers or writes files. They are listed without the flag."`
	JSON   bool     `name:"json" help:"Print the report as one JSON object."`
}

func (EvalCmd) Help() string {
	return `Evaluates a team on held-out problems without training. A run: its team before and after training. A recipe: its untrained team. Both are compared with the recipe's untrained baselines, at the same number of generated tokens. Nothing is written to disk.

Examples:

    parley eval debate-sums-s1
    parley eval debate-sums --set eval.problems=100 --json

Exit codes: 0 evaluated; 1 failed; 2 there is no such run or recipe, or it is wrong; 130 interrupted.`
}

func (c *EvalCmd) Run(a *cli.App) error {
	options, err := c.options(a)
	if err != nil {
		return err
	}
	result, err := live.Watched(a, train.Evaluate, options)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(result.Report)
	}
	return a.PrintText(result.Text)
}

// options finds out whether a run or a recipe is meant. A run has the preference: a recipe can also be named by its file.
func (c *EvalCmd) options(a *cli.App) (train.Options, error) {
	o := train.Options{Backend: native.Backend{}, Language: a.Language, MaxUpdates: -1, Version: cli.VersionString(), AcceptChanged: c.Accept, Trust: c.Trust}
	dir, noRun := cli.FindRun(c.Target)
	var usage *cli.UsageError
	switch {
	case noRun == nil && len(c.Set) > 0:
		return o, cli.Usagef("--set changes a recipe, but %s is a run: its recipe is what it was trained with", dir)
	case noRun == nil:
		o.Dir = dir
		return o, nil
	case !errors.As(noRun, &usage):
		return o, noRun
	}
	r, err := a.Language.Load(c.Target, c.Set)
	var unknown *recipe.UnknownError
	if errors.As(err, &unknown) {
		return o, cli.UnknownTarget(c.Target)
	}
	o.Recipe = r
	return o, err
}
