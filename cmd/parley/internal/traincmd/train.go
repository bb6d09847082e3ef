// Package traincmd has the verbs train and eval, and cluster and doctor, which say where they can run: see cluster.go and doctor.go.
//
//	train.go   flags of train
//	dryrun.go  train --dry-run: what a run would cost
//	plan.go    train --plan: what it will take; speed.go measures this machine for that
//	eval.go    flags of eval
package traincmd

import (
	"cmp"
	"strconv"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/live"
	"parley/train"
	"parley/train/plan"
)

// Train is the verb train.
type Train struct {
	Recipe     string   `arg:"" optional:"" help:"Name of a shipped recipe, or a recipe file. Default: ${default_recipe}."`
	Out        string   `placeholder:"DIR" help:"Run folder. Default: RECIPE-sSEED in the runs folder, which is PARLEY_RUNS or else runs."`
	Set        []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable. With --resume: where a file that the run's recipe names is now, such as task.path=PATH."`
	Seed       *int     `placeholder:"N" help:"Seed of all random choices. Short for --set seed=N."`
	Resume     string   `placeholder:"DIR" help:"Continue an interrupted run."`
	MaxUpdates int      `default:"-1" placeholder:"N" help:"Stop training after N updates."`
	Updates    string   `placeholder:"N" help:"With --resume: train until the run has N updates in all, or, as +N, N more than it has done."`
	Accept     bool     `name:"accept-changed" help:"With --resume: go on though files, the base or parley itself are others than the run began with. The report says so."`
	Trust      bool     `name:"trust" help:"With --resume: go on with a run that was made elsewhere though its recipe runs programs, asks servers or writes files. They are listed without the flag."`
	AcceptLoss bool     `name:"accept-loss" help:"With --resume: go on though something that the run wrote is damaged and cannot be made again. What is damaged is kept, and the report says what is gone."`
	DryRun     bool     `help:"Train nothing. Print an upper bound of the cost: tokens, verifier calls, memory, arithmetic. Models and data need not be on this machine."`
	Plan       bool     `help:"Train nothing. Print what the recipe will take as low, likely and high: tokens of every phase, memory, adapters, hours, money. With --resume, plan the run anew after what it has measured."`
	Prices     string   `placeholder:"FILE" help:"With --plan: what hours and tokens cost, and how fast the machines are. docs/cluster.md has an example."`
	Bench      bool     `help:"With --plan: measure how fast this machine is over the recipe's bases, for the hours."`
	JSON       bool     `name:"json" help:"Print the report as one JSON object; with --dry-run the estimate, with --plan the plan."`

	cli.Overlays
	cli.Events
}

func (Train) Help() string {
	return `Trains the team of a recipe, evaluates it on held-out problems, and prints a table of results.

A recipe with an experiment is several runs. parley does them one after another and prints one table with their means.

A run that is finished can be trained further: --resume RUN --updates +20. Nothing else of it changes. A learning rate that decays falls from then on over the new number of updates, and the report is made again.

^C stops training. The last checkpoint (by default: the last finished update) is on disk. parley prints the command that continues the run.

Examples:

    parley train
    parley train debate-sums --seed 2 --out runs/mine
    parley train mine.yaml --set team.turns=3 --set optimizer.lr=5e-4
    parley train --resume runs/debate-sums-s1
    parley train --resume runs/debate-sums-s1 --updates +20
    parley train mine.yaml --dry-run
    parley train mine.yaml --plan --prices prices.yaml
    parley train --resume runs/debate-sums-s1 --plan

Exit codes: 0 trained and evaluated; 1 failed, and the run can be continued; 2 the recipe or the command line is wrong; 130 interrupted.`
}

func (c *Train) Run(a *cli.App) error { return c.While(a, c.train) }

func (c *Train) train(a *cli.App) error {
	options, err := c.options(a)
	if err != nil {
		return err
	}
	if (c.Prices != "" || c.Bench) && !c.Plan {
		return cli.Usagef("--prices and --bench need --plan: add it")
	}
	if c.Plan {
		if c.DryRun {
			return cli.Usagef("--plan and --dry-run both print what a recipe takes: leave one out")
		}
		return c.plan(a, options)
	}
	if c.DryRun {
		if c.Resume != "" {
			return cli.Usagef("--dry-run is about a recipe: leave out --resume")
		}
		return dryRun(a, options.Recipe, c.JSON)
	}
	result, err := live.Watched(a, train.Run, options)
	if result == nil {
		return err
	}
	if c.JSON {
		return cmp.Or(err, a.PrintJSON(result.Report))
	}
	return cmp.Or(err, a.PrintReport(result.Text, result.Dir))
}

// options reads the recipe, or leaves it to the run that is resumed.
func (c *Train) options(a *cli.App) (train.Options, error) {
	o := train.Options{Backend: cli.Backend(), Language: a.Language, Dir: c.Out, MaxUpdates: c.MaxUpdates, Version: cli.VersionString(), AcceptChanged: c.Accept, AcceptLoss: c.AcceptLoss, Trust: c.Trust}
	if c.MaxUpdates < -1 {
		return o, cli.Usagef("--max-updates is %d, expected at least 0", c.MaxUpdates)
	}
	if c.Accept && c.Resume == "" {
		return o, cli.Usagef("--accept-changed is for a run that is resumed: add --resume RUN")
	}
	if c.Trust && c.Resume == "" {
		return o, cli.Usagef("--trust is for a run that is resumed: a recipe that you name yourself is trusted already, like a program that you start")
	}
	if c.AcceptLoss && c.Resume == "" {
		return o, cli.Usagef("--accept-loss is for a run that is resumed: add --resume RUN")
	}
	if err := c.length(&o); err != nil {
		return o, err
	}
	if c.Resume != "" {
		if c.Out != "" || c.Recipe == "" && c.Seed != nil {
			return o, cli.Usagef("--resume goes on with the run's own recipe, seed and folder: leave out --out and --seed")
		}
		if c.Recipe == "" {
			o.Moved = c.Set
			if err := c.Refuse("a run that is resumed"); err != nil {
				return o, err
			}
		}
		dir, err := cli.FindRun(c.Resume)
		o.Dir, o.Resume = dir, true
		if err != nil || c.Recipe == "" {
			return o, err
		}
	}
	var err error
	if o.Recipe, err = a.LoadRecipe(c.Recipe, c.Set, c.Seed, c.Overlay...); err != nil {
		return o, err
	}
	if err := plan.Trains(o.Recipe, c.Recipe); err != nil {
		return o, err
	}
	return o, plan.CheckFields(a.Ctx, c.Recipe, o.Recipe)
}

// length reads how long a run that goes on is to be.
func (c *Train) length(o *train.Options) error {
	if c.Updates == "" {
		return nil
	}
	digits, further := strings.CutPrefix(c.Updates, "+")
	n, err := strconv.Atoi(digits)
	switch {
	case err != nil || n < 1 || digits[0] == '+':
		return cli.Usagef("--updates is %q, expected a number from 1 on, or + and such a number", c.Updates)
	case c.Resume == "":
		return cli.Usagef("--updates is for a run that is resumed: add --resume RUN, or --set training.updates=%d for a new run", n)
	case further:
		o.Further = n
	default:
		o.Updates = n
	}
	return nil
}
