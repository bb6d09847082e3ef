package main

import (
	"errors"
	"fmt"

	"parley/engine/native"
	"parley/task"
	"parley/train/lineup"
	"parley/verifier"
)

type verifierDataCmd struct {
	Recipe    string   `arg:"" optional:"" help:"The recipe whose base, task and prompts are used, a shipped one's name or a file; none: ${default_recipe}."`
	Out       string   `required:"" placeholder:"DIR" help:"New folder for the solutions."`
	Set       []string `sep:"none" placeholder:"KEY=VALUE" help:"Change one key of the recipe; repeatable."`
	Agent     int      `default:"1" placeholder:"N" help:"The agent whose base is used, where agents have different ones; default: 1."`
	Questions int      `default:"100" placeholder:"N" help:"Questions; default: 100."`
	Skip      int      `default:"-1" placeholder:"N" help:"Training questions of the task to leave to the policies; default: task.train of the recipe, or 0 of those that task.verifier_problems keeps."`
	Paths     int      `default:"100" placeholder:"N" help:"Solutions a question; default: 100."`
	Low       float64  `default:"1.3" placeholder:"T" help:"Least sampling temperature; default: 1.3."`
	High      float64  `default:"1.5" placeholder:"T" help:"Greatest sampling temperature; default: 1.5. Each solution has one of its own, drawn uniformly."`
	TopP      float64  `default:"0.9" placeholder:"P" help:"Nucleus of sampling; default: 0.9."`
	Seed      uint64   `default:"1" placeholder:"N" help:"Root of all randomness; default: 1."`
	JSON      bool     `name:"json" help:"Print the report as one JSON object."`
}

func (verifierDataCmd) Help() string {
	return `The base without adapters answers training questions of the task with the recipe's prompt of turn 1. Solutions are labelled by their
final answer. Those that are not reasoning first and then the box are left out, and counted. Policies train on the first task.train questions,
so the verifier's are taken from those that follow, or from those that task.verifier_problems keeps for it.

Example:

    parley verifier data debate-sums --questions 200 --paths 40 --out solutions

Exit codes: 0 done; 1 failed; 2 recipe or command line wrong, nothing was sampled; 130 interrupted, nothing was written.`
}

// check reports numbers that make no sense.
func (c *verifierDataCmd) check() error {
	switch {
	case c.Questions < 1:
		return usagef("--questions is %d, expected at least 1", c.Questions)
	case c.Paths < 1:
		return usagef("--paths is %d, expected at least 1", c.Paths)
	case c.Skip < -1:
		return usagef("--skip is %d, expected at least 0", c.Skip)
	case c.Low <= 0 || c.High < c.Low:
		return usagef("--low is %g and --high %g, expected temperatures above 0, the lower one first", c.Low, c.High)
	case c.TopP <= 0 || c.TopP > 1:
		return usagef("--top-p is %g, expected more than 0 and at most 1", c.TopP)
	}
	return newFolder(c.Out)
}

func (c *verifierDataCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	r, err := a.loadRecipe(c.Recipe, c.Set, nil)
	if err != nil {
		return err
	}
	if c.Agent < 1 || c.Agent > r.Team.Agents {
		return usagef("--agent is %d, expected 1 to %d", c.Agent, r.Team.Agents)
	}
	w, err := lineup.OpenWorkbench(a.ctx, r, native.Backend{}, c.Agent-1)
	if err != nil {
		return err
	}
	a.noteSlow()
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
		return nil, 0, usagef("task %s has %d %s questions, %d are left to the policies and %d asked for: lower --questions, --skip or task.train, or raise task.verifier_problems",
			w.Task.Name(), len(problems), split, skip, c.Questions)
	}
	return problems[skip:], skip, nil
}

func (c *verifierDataCmd) collect(a *app, w *lineup.Workbench) error {
	problems, skip, err := c.questions(w)
	if err != nil {
		return err
	}
	progress := &pulse{w: a.stderr}
	collector := verifier.Collector{Base: w.Base, Paths: c.Paths, Seed: c.Seed,
		Sampling: verifier.Sampling{Low: c.Low, High: c.High, TopP: c.TopP, MaxTokens: w.Recipe.Sampling.MaxTokens},
		Progress: func(done, of int) { progress.tell(done == of, "solutions of %d of %d questions", done, of) }}
	solutions, tally, err := collector.Collect(a.ctx, problems)
	if err != nil {
		return err
	}
	m := verifier.DataManifest{Origin: verifier.Origin{Recipe: string(w.Recipe.YAML()), SHA256: w.SHA256, Parley: versionString()}, Skip: skip, Questions: c.Questions, Data: tally}
	if err := verifier.WriteData(c.Out, m, solutions); err != nil {
		return fmt.Errorf("write solutions: %w", err)
	}
	if c.JSON {
		return a.printJSON(struct {
			Dir       string `json:"dir"`
			Questions int    `json:"questions"`
			Skip      int    `json:"skip"`
			verifier.Tally
		}{c.Out, c.Questions, skip, tally})
	}
	return errors.Join(a.tally(tally), a.printf("solutions of %d questions in %s\n", c.Questions, c.Out))
}
