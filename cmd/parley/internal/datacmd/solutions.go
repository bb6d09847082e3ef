package datacmd

import (
	"errors"
	"fmt"

	"parley/cmd/parley/internal/cli"
	"parley/engine/native"
	"parley/rl/verifier"
	"parley/task"
	"parley/train/lineup"
)

type verifierDataCmd struct {
	Recipe    string   `arg:"" optional:"" help:"The recipe whose base, task and prompts are used: a shipped one's name, or a file. Default: ${default_recipe}."`
	Out       string   `required:"" placeholder:"DIR" help:"New folder for the solutions."`
	Set       []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable."`
	Agent     int      `default:"1" placeholder:"N" help:"The agent whose base is used, if agents have different bases (${default})."`
	Questions int      `default:"100" placeholder:"N" help:"Problems to solve (${default})."`
	Skip      int      `default:"-1" placeholder:"N" help:"Skip the first N problems. Default: none of those that task.verifier_problems keeps for the verifier; else the first task.train, which policies train on."`
	Paths     int      `default:"100" placeholder:"N" help:"Solutions per problem (${default})."`
	Low       float64  `default:"1.3" placeholder:"T" help:"Lowest sampling temperature (${default})."`
	High      float64  `default:"1.5" placeholder:"T" help:"Highest sampling temperature (${default}). Each solution has its own, drawn uniformly."`
	TopP      float64  `default:"0.9" placeholder:"P" help:"Top-p of sampling (${default})."`
	Seed      uint64   `default:"1" placeholder:"N" help:"Seed of all random choices (${default})."`
	JSON      bool     `name:"json" help:"Print the report as one JSON object."`

	cli.Overlays
}

func (verifierDataCmd) Help() string {
	return `The base model, without adapters, solves training problems of a recipe's task with the recipe's prompt of turn 1. Each solution is labeled by its final answer. A solution that is not reasoning followed by the boxed answer is left out and counted. The problems are those that task.verifier_problems keeps. If it keeps none, they are those after the first task.train.

Example:

    parley verifier data debate-sums --questions 200 --paths 40 --out solutions

Exit codes: 0 done; 1 failed; 2 the recipe or the command line is wrong, and nothing was sampled; 130 interrupted, and nothing was written.`
}

// Bounds of what is asked for: all questions are in memory, and all solutions of one at a time.
const (
	mostQuestions = 1_000_000
	mostPaths     = 10_000
	hottest       = 100 // temperature
)

// check reports numbers that make no sense.
func (c *verifierDataCmd) check() error {
	switch {
	case c.Questions < 1 || c.Questions > mostQuestions:
		return cli.Usagef("--questions is %d, expected 1 to %d", c.Questions, mostQuestions)
	case c.Paths < 1 || c.Paths > mostPaths:
		return cli.Usagef("--paths is %d, expected 1 to %d", c.Paths, mostPaths)
	case c.Skip < -1 || c.Skip > mostQuestions:
		return cli.Usagef("--skip is %d, expected 0 to %d", c.Skip, mostQuestions)
	case !(c.Low > 0 && c.Low <= c.High && c.High <= hottest):
		return cli.Usagef("--low is %g and --high %g, expected temperatures above 0 and at most %d, the lower one first", c.Low, c.High, hottest)
	case !(c.TopP > 0 && c.TopP <= 1):
		return cli.Usagef("--top-p is %g, expected more than 0 and at most 1", c.TopP)
	}
	return newFolder(c.Out)
}

func (c *verifierDataCmd) Run(a *cli.App) error {
	if err := c.check(); err != nil {
		return err
	}
	r, err := a.LoadRecipe(c.Recipe, c.Set, nil, c.Overlay...)
	if err != nil {
		return err
	}
	if c.Agent < 1 || c.Agent > r.Team.Agents.N {
		return cli.Usagef("--agent is %d, expected 1 to %d", c.Agent, r.Team.Agents.N)
	}
	w, err := lineup.OpenWorkbench(a.Ctx, r, native.Backend{}, c.Agent-1)
	if err != nil {
		return err
	}
	a.NoteSlow()
	return errors.Join(c.collect(a, w), w.Close())
}

// questions are those that the recipe keeps for a verifier (task.verifier_problems), or else training questions behind the policies': skip
// says how many lie before them.
func (c *verifierDataCmd) questions(w *lineup.Workbench) (problems []task.Problem, skip int, err error) {
	split, skip := task.Train, c.Skip
	if skip < 0 {
		skip = w.Recipe.Task.Train
		if kept, err := w.Task.Problems(task.Verifier, 1); err == nil && len(kept) > 0 {
			split, skip = task.Verifier, 0
		}
	}
	if problems, err = w.Task.Problems(split, skip+c.Questions); err != nil {
		return nil, 0, err
	}
	if len(problems) < skip+c.Questions {
		return nil, 0, cli.Usagef("task %s has %d %s questions, %d are left to the policies and %d asked for: lower --questions, --skip or task.train, or raise task.verifier_problems",
			w.Task.Name(), len(problems), split, skip, c.Questions)
	}
	return problems[skip:], skip, nil
}

func (c *verifierDataCmd) collect(a *cli.App, w *lineup.Workbench) error {
	problems, skip, err := c.questions(w)
	if err != nil {
		return err
	}
	progress := &pulse{w: a.Stderr}
	collector := verifier.Collector{
		Base: w.Base, Paths: c.Paths, Seed: c.Seed,
		Sampling: verifier.Sampling{Low: c.Low, High: c.High, TopP: c.TopP, MaxTokens: w.Recipe.Sampling.MaxTokens},
		Progress: func(done, of int) { progress.tell(done == of, "solutions of %d of %d questions", done, of) },
	}
	solutions, tally, err := collector.Collect(a.Ctx, problems)
	if err != nil {
		return err
	}
	m := verifier.DataManifest{Origin: verifier.Origin{Recipe: string(w.Recipe.YAML()), SHA256: w.SHA256, Parley: cli.VersionString()}, Skip: skip, Questions: c.Questions, Data: tally}
	if err := verifier.WriteData(c.Out, m, solutions); err != nil {
		return fmt.Errorf("write solutions: %w", err)
	}
	if c.JSON {
		return a.PrintJSON(struct {
			Dir       string `json:"dir"`
			Questions int    `json:"questions"`
			Skip      int    `json:"skip"`
			verifier.Tally
		}{c.Out, c.Questions, skip, tally})
	}
	return errors.Join(printTally(a, tally), a.Printf("solutions of %d questions in %s\n", c.Questions, c.Out))
}
