package main

import (
	"context"
	"fmt"
	"io"

	"parley/cmd/parley/internal/cli"
	"parley/rl/credit"
	"parley/rl/tabular"
)

// One command for each game.
type (
	climbingCmd struct{ matrixCmd }
	pairsCmd    struct{ matrixCmd }
	dilemmaCmd  struct{ matrixCmd }
)

func (c *climbingCmd) Run(a *cli.App) error { return c.learn(a, tabular.Climbing()) }
func (c *pairsCmd) Run(a *cli.App) error    { return c.learn(a, tabular.Pairs()) }
func (c *dilemmaCmd) Run(a *cli.App) error  { return c.learn(a, tabular.Dilemma()) }

type matrixCmd struct {
	Joint      string  `default:"aligned" enum:"aligned,cross" help:"Joint actions: the j-th samples of both players (aligned), or all combinations (cross). Default: ${default}."`
	Advantage  string  `default:"mean" enum:"mean,raw,rloo,max" help:"Baseline of the advantages in a group: mean, none (raw), mean of the others (rloo), or max (docs/magrpo.md 2.3). Default: ${default}."`
	Individual bool    `help:"Reward each player with its own payoff. Default: the mean of both payoffs."`
	Group      int     `default:"8" placeholder:"G" help:"Samples per player and update (${default})."`
	Updates    int     `default:"15000" placeholder:"N" help:"Optimizer steps (${default})."`
	LR         float64 `name:"lr" default:"0.05" placeholder:"X" help:"Learning rate (${default})."`
	Runs       int     `default:"3" placeholder:"N" help:"Runs, each with its own seed (${default})."`
	Seed       uint64  `default:"1" placeholder:"N" help:"Seed of the first run (${default})."`
	Groups     int     `default:"20000" placeholder:"N" help:"Groups for the mean and the variance of the gradient estimator (${default})."`
	JSON       bool    `name:"json" help:"Print one JSON object."`
}

func (matrixCmd) Help() string {
	return `Two tabular softmax policies learn a game of one turn with MAGRPO's sampling, credit, advantages and loss, and with AdamW (docs/magrpo.md 15.7).

The first table has the actions that each run ends with, and whether they are an equilibrium. The second table compares the estimated gradient with the true one at the start. Theory expects a share of (G-1)/G with mean and of 1 with rloo, and no greater variance with cross than with aligned.

Examples:

    parley game climbing
    parley game dilemma --individual
    parley game pairs --joint cross --group 4 --json

Exit codes: 0 done; 2 a setting is wrong.`
}

// A matrixRun is one row of the table.
type matrixRun struct {
	Seed uint64 `json:"seed"`
	tabular.Result
}

// An estimateRow says how groups estimate the gradient in one way.
type estimateRow struct {
	Joint     string `json:"joint"`
	Advantage string `json:"advantage"`
	tabular.Estimate
}

func (c *matrixCmd) learn(a *cli.App, g tabular.Game) error {
	if c.Group < 2 || c.Updates < 1 || c.Runs < 1 || c.Groups < 2 || !(c.LR > 0) {
		return cli.Usagef("--group and --groups need at least 2, --updates and --runs at least 1, --lr more than 0")
	}
	var runs []matrixRun
	for i := range c.Runs {
		s := c.settings(c.Joint, c.Advantage)
		s.Seed += uint64(i)
		r, err := tabular.Learn(a.Ctx, g, s)
		if err != nil {
			return err
		}
		runs = append(runs, matrixRun{s.Seed, r})
	}
	estimates, err := c.estimates(a.Ctx, g)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{
			"game": g.Name, "joint": c.Joint, "advantage": c.Advantage, "individual": c.Individual,
			"group": c.Group, "updates": c.Updates, "best": g.Best(), "runs": runs, "estimates": estimates,
		})
	}
	return a.Table(func(w io.Writer) { c.print(w, g, runs, estimates) })
}

func (c *matrixCmd) settings(joint, advantage string) tabular.Settings {
	return tabular.Settings{
		Joint: credit.JointMode(joint), Mode: credit.AdvantageMode(advantage), Individual: c.Individual, Group: c.Group,
		Updates: c.Updates, LR: c.LR, Seed: c.Seed,
	}
}

// estimates compares both joint modes with both baselines that have an expectation to check.
func (c *matrixCmd) estimates(ctx context.Context, g tabular.Game) ([]estimateRow, error) {
	var out []estimateRow
	for _, advantage := range []string{"mean", "rloo"} {
		for _, joint := range []string{"aligned", "cross"} {
			e, err := g.Estimate(ctx, c.settings(joint, advantage), c.Groups)
			if err != nil {
				return nil, err
			}
			out = append(out, estimateRow{joint, advantage, e})
		}
	}
	return out, nil
}

func (c *matrixCmd) print(w io.Writer, g tabular.Game, runs []matrixRun, estimates []estimateRow) {
	cli.Row(w, "seed", "actions", "probability", "joint reward", "best is", "equilibrium")
	for _, r := range runs {
		cli.Row(w, r.Seed, fmt.Sprintf("%d, %d", r.Action[0]+1, r.Action[1]+1), fmt.Sprintf("%.3f", r.Probability), fmt.Sprintf("%.3f", r.Value), g.Best(), r.Equilibrium)
	}
	cli.Row(w, "")
	cli.Row(w, "joint", "advantage", "share of the gradient", "expected", "variance")
	for _, e := range estimates {
		want := "1"
		if e.Advantage == "mean" {
			want = fmt.Sprintf("%.4g", float64(c.Group-1)/float64(c.Group))
		}
		cli.Row(w, e.Joint, e.Advantage, fmt.Sprintf("%.4f ± %.4f", e.Scale, e.Error), want, fmt.Sprintf("%.4g", e.Variance))
	}
}
