package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"parley/recipe"
	"parley/runs"
	"parley/train/plan"
)

type recipeCmd struct {
	List  recipeListCmd  `cmd:"" help:"List the shipped recipes."`
	Show  recipeShowCmd  `cmd:"" help:"Print what applies in a recipe, or in the recipe of a run."`
	Check recipeCheckCmd `cmd:"" help:"Check a recipe and print all its errors."`
}

type recipeListCmd struct {
	JSON bool `name:"json" help:"Print one JSON array of {\"name\",\"about\",\"minutes\"}."`
}

func (recipeListCmd) Help() string {
	return `Lists the recipes that ship with parley. The column minutes is about how long a run takes on two cores, where that was measured.

Examples:

    parley recipe list
    parley recipe list --json

Exit codes: 0 listed.`
}

func (c *recipeListCmd) Run(a *app) error {
	type item struct {
		Name    string  `json:"name"`
		About   string  `json:"about"`
		Minutes float64 `json:"minutes"`
	}
	var list []item
	for _, r := range a.language.Shipped() {
		list = append(list, item{r.Name, r.About, r.Minutes})
	}
	if c.JSON {
		return a.printJSON(list)
	}
	return a.table(func(w io.Writer) {
		row(w, "recipe", "minutes", "about")
		for _, r := range list {
			minutes := "?"
			if r.Minutes > 0 {
				minutes = fmt.Sprint(r.Minutes)
			}
			row(w, r.Name, minutes, r.About)
		}
	})
}

type recipeShowCmd struct {
	Recipe string   `arg:"" help:"Name of a shipped recipe, a recipe file, a run's folder, or its name in the runs folder."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable."`
	All    bool     `help:"Print all keys, those without effect too, and prompts as the recipe has them."`
	JSON   bool     `name:"json" help:"Print one JSON object {\"name\",\"yaml\",\"warnings\"}."`
}

func (recipeShowCmd) Help() string {
	return `Prints a recipe as YAML, with the value and the meaning of every key that has an effect in it. Prompts that the recipe leaves out
are written out where all its runs and baselines are asked the same. The output is a recipe itself, which gives the same run.

Examples:

    parley recipe show debate-sums > mine.yaml
    parley recipe show debate-sums --set team.agents=3
    parley recipe show debate-sums-s1 > again.yaml

Exit codes: 0 printed; 1 the run cannot be read; 2 there is no such recipe or run, or the recipe is wrong.`
}

func (c *recipeShowCmd) Run(a *app) error {
	r, err := a.recipeOf(c.Recipe, c.Set)
	if err != nil {
		return err
	}
	text := r.YAML()
	if !c.All {
		text = plan.WithPrompts(r).ApplyingYAML()
	}
	if c.JSON {
		return a.printJSON(map[string]any{"name": r.Name, "yaml": string(text), "warnings": append([]string{}, r.Warnings()...)})
	}
	return a.printf("%s", text)
}

// recipeOf reads a recipe by the name of a shipped one or from a file; or, where there is neither, the recipe of a run.
func (a *app) recipeOf(name string, sets []string) (*recipe.Recipe, error) {
	r, err := a.language.Load(name, sets)
	var unknown *recipe.UnknownError
	if info, no := os.Stat(name); !errors.As(err, &unknown) && (no != nil || !info.IsDir()) {
		return r, err
	}
	dir, err := findRun(name)
	var usage *usageError
	if errors.As(err, &usage) {
		return nil, unknownTarget(name)
	}
	if err != nil {
		return nil, err
	}
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, err
	}
	return a.language.Parse("recipe of run "+dir, []byte(meta.Recipe), sets)
}

type recipeCheckCmd struct {
	Recipe string   `arg:"" help:"Name of a shipped recipe, or a recipe file."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable."`
	JSON   bool     `name:"json" help:"Print one JSON object {\"ok\",\"errors\",\"warnings\"}."`
}

func (recipeCheckCmd) Help() string {
	return `Checks a recipe without running it. Each error has the file, the line and the column, says what is allowed there, and suggests the nearest valid word.

Examples:

    parley recipe check mine.yaml
    parley recipe check debate-sums --set team.turns=3 --json

Exit codes: 0 no errors, possibly warnings; 2 there are errors.`
}

func (c *recipeCheckCmd) Run(a *app) error {
	r, err := a.language.Load(c.Recipe, c.Set)
	var list *recipe.Errors
	switch {
	case errors.As(err, &list) && c.JSON:
		return errors.Join(a.printJSON(map[string]any{"ok": false, "errors": list.List, "warnings": []string{}}), &shownError{err})
	case errors.As(err, &list):
		fmt.Fprintln(a.stderr, list)
		return &shownError{err}
	case err != nil:
		return err
	case c.JSON:
		return a.printJSON(map[string]any{"ok": true, "errors": []recipe.Error{}, "warnings": append([]string{}, r.Warnings()...)})
	}
	for _, w := range r.Warnings() {
		fmt.Fprintln(a.stderr, "warning:", w)
	}
	return a.printf("%s is fine\n", c.Recipe)
}
