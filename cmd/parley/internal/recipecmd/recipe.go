// Package recipecmd is the verb recipe: recipes are listed, printed and checked.
package recipecmd

import (
	"errors"
	"fmt"
	"io"

	"github.com/goccy/go-yaml"

	"parley/cmd/parley/internal/cli"
	"parley/recipe"
	"parley/recipe/schema"
	"parley/train/plan"
)

// Cmd is the verb recipe.
type Cmd struct {
	List  recipeListCmd  `cmd:"" help:"List the shipped recipes."`
	Show  recipeShowCmd  `cmd:"" help:"Print what applies in a recipe, or in the recipe of a run."`
	Check recipeCheckCmd `cmd:"" help:"Check a recipe and print all its errors."`
}

type recipeListCmd struct {
	System bool `help:"List the systems of papers instead: what each trains, what its agents exchange, where the description comes from, its recipes, and what is not reproduced."`
	JSON   bool `name:"json" help:"Print one JSON array of {\"name\",\"about\",\"minutes\"}; with --system of {\"system\",\"trains\",\"exchange\",\"evidence\",\"recipe\",\"twin\"}."`
}

func (recipeListCmd) Help() string {
	return `Lists the recipes that ship with parley. The column minutes is about how long a run takes on two cores, where that was measured.

With --system the list is that of the systems that papers describe. The column trains says whose weights change; several of the systems train
nothing. The column twin names the small recipes for two cores. Where a system has no recipe there is a dash.

Examples:

    parley recipe list
    parley recipe list --json
    parley recipe list --system

Exit codes: 0 listed.`
}

func (c *recipeListCmd) Run(a *cli.App) error {
	if c.System {
		return listSystems(a, c.JSON)
	}
	list, err := listed()
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(list)
	}
	return a.Table(func(w io.Writer) {
		cli.Row(w, "recipe", "minutes", "about")
		for _, r := range list {
			minutes := "?"
			if r.Minutes > 0 {
				minutes = fmt.Sprint(r.Minutes)
			}
			cli.Row(w, r.Name, minutes, r.About)
		}
	})
}

// A summary is what a shipped recipe says of itself.
type summary struct {
	Name    string  `json:"name" yaml:"name"`
	About   string  `json:"about" yaml:"about"`
	Minutes float64 `json:"minutes" yaml:"minutes"`
}

// listed are the summaries of the shipped recipes. No recipe takes its summary from a preset, so none is made: that would take seconds.
func listed() ([]summary, error) {
	var list []summary
	for _, name := range recipe.Names() {
		text, err := recipe.Files.ReadFile("shipped/" + name + ".yaml")
		if err != nil {
			return nil, err
		}
		var s summary
		if err := yaml.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("read the shipped recipe %s: %w", name, err)
		}
		list = append(list, s)
	}
	return list, nil
}

type recipeShowCmd struct {
	Recipe   string   `arg:"" help:"Name of a shipped recipe, a recipe file, a run's folder, or its name in the runs folder."`
	Set      []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable."`
	All      bool     `help:"Print all keys, those without effect too, and prompts as the recipe has them."`
	Workflow bool     `help:"Print who is asked what, step by step, and what each prompt shows."`
	Out      string   `placeholder:"FILE" help:"With --workflow: write the picture of who sees what to FILE, which ends in .svg, .png or .pdf."`
	JSON     bool     `name:"json" help:"Print one JSON object {\"name\",\"yaml\",\"values\",\"warnings\"}, values being the recipe as an object; with --workflow {\"name\",\"yaml\",\"agents\",\"asks\"}."`

	cli.Overlays
}

func (recipeShowCmd) Help() string {
	return `Prints a recipe as YAML, with the value and the meaning of every key that has an effect in it. Prompts that the recipe leaves out
are written out where all its runs and baselines are asked the same. The output is a recipe itself, which gives the same run.

With --workflow the recipe's team is printed as a workflow, whatever protocol it names, and behind it what each prompt shows: the most that it
can show, with every condition met and every loop at its end. --out draws it.

Examples:

    parley recipe show debate-sums > mine.yaml
    parley recipe show debate-sums --set team.agents=3
    parley recipe show debate-sums-s1 > again.yaml
    parley recipe show chain-tiny --workflow
    parley recipe show chain-tiny --workflow --out team.svg

Exit codes: 0 printed; 1 the run cannot be read; 2 there is no such recipe or run, or the recipe is wrong.`
}

func (c *recipeShowCmd) Run(a *cli.App) error {
	r, err := a.RecipeOf(c.Recipe, c.Set, c.Overlay...)
	if err != nil {
		return err
	}
	if c.Workflow {
		return c.workflow(a, r)
	}
	if c.Out != "" {
		return cli.Usagef("--out is the picture of a workflow: add --workflow")
	}
	text := r.YAML()
	if !c.All {
		text = plan.WithPrompts(r).ApplyingYAML()
	}
	if c.JSON {
		values, err := schema.JSON(text)
		if err != nil {
			return fmt.Errorf("internal error: the recipe as JSON: %w", err)
		}
		return a.PrintJSON(map[string]any{"name": r.Name, "yaml": string(text), "values": values, "warnings": append([]string{}, r.Warnings()...)})
	}
	return a.Printf("%s", text)
}

type recipeCheckCmd struct {
	Recipe string   `arg:"" help:"Name of a shipped recipe, or a recipe file."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable."`
	Files  bool     `help:"Also open every file that the recipe names: data sets, models, rewards, verifiers, recordings, programs."`
	JSON   bool     `name:"json" help:"Print one JSON object {\"ok\",\"errors\",\"warnings\"}; of a recipe with steps also {\"agents\",\"asks\"}."`

	cli.Overlays
}

func (recipeCheckCmd) Help() string {
	return `Checks a recipe without running it. Each error has the file, the line and the column, says what is allowed there, and suggests the nearest valid word. With --files it also reads what the recipe and its variants name, every row of data sets included, and reports all files that are wrong. Nothing is downloaded, and nothing is started but the program of a team (team.protocol harness): it plays one held-out problem with the untrained team, and what parley harness play prints is printed.

Of a recipe with the steps of a workflow it prints what each prompt shows, as recipe show --workflow does.

Examples:

    parley recipe check mine.yaml
    parley recipe check mine.yaml --files
    parley recipe check debate-sums --set team.turns=3 --json

Exit codes: 0 no errors, possibly warnings; 2 there are errors, or the played episode failed.`
}

func (c *recipeCheckCmd) Run(a *cli.App) error {
	r, err := a.Language.Load(c.Recipe, c.Set, c.Overlay...)
	if err == nil {
		err = plan.CheckFields(a.Ctx, c.Recipe, r)
	}
	if err == nil && c.Files {
		err = files(a.Ctx, c.Recipe, r)
	}
	var list *recipe.Errors
	switch {
	case errors.As(err, &list) && c.JSON:
		return errors.Join(a.PrintJSON(map[string]any{"ok": false, "errors": list.List, "warnings": []string{}}), cli.Shown(err))
	case errors.As(err, &list):
		a.Say(list)
		return cli.Shown(err)
	case err != nil:
		return err
	}
	sights, err := sightsOf(r)
	if err != nil {
		return err
	}
	var game *played // by the program of the team; nil: it has none
	if c.Files && r.Harnessed() {
		if game, err = playOne(a.Ctx, r); err != nil {
			return err
		}
	}
	if c.JSON {
		out := map[string]any{"ok": true, "errors": []recipe.Error{}, "warnings": append([]string{}, r.Warnings()...)}
		if sights != nil {
			out["agents"], out["asks"] = r.Team.Agents.Names(), asked(sights)
		}
		if game != nil {
			out["ok"], out["played"] = game.Failed == "", game
		}
		return errors.Join(a.PrintJSON(out), game.fault())
	}
	for _, w := range r.Warnings() {
		a.Say("warning:", w)
	}
	if game != nil {
		if err := errors.Join(game.print(a), game.fault()); err != nil {
			return err
		}
	}
	if err := a.Printf("%s is fine\n", c.Recipe); err != nil || sights == nil {
		return err
	}
	return matrix(a, sights, privileged(r))
}
