package main

import (
	"errors"
	"fmt"
	"io"

	"parley/recipe"
)

type recipeCmd struct {
	List  recipeListCmd  `cmd:"" help:"List the shipped recipes."`
	Show  recipeShowCmd  `cmd:"" help:"Print a recipe in full, every default filled in."`
	Check recipeCheckCmd `cmd:"" help:"Say everything that is wrong with a recipe at once."`
}

type recipeListCmd struct {
	JSON bool `name:"json" help:"Print one JSON array of {\"name\",\"about\",\"minutes\"}."`
}

func (recipeListCmd) Help() string { return "Exit codes: 0 listed." }

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
	Recipe string   `arg:"" help:"A shipped recipe's name or a file."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Change one key; repeatable."`
	JSON   bool     `name:"json" help:"Print one JSON object {\"name\",\"yaml\",\"warnings\"}."`
}

func (recipeShowCmd) Help() string {
	return "The print is a recipe itself: parley recipe show debate-sums > mine.yaml\n\nExit codes: 0 printed; 2 the recipe is wrong or not known."
}

func (c *recipeShowCmd) Run(a *app) error {
	r, err := a.language.Load(c.Recipe, c.Set)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(map[string]any{"name": r.Name, "yaml": string(r.YAML()), "warnings": append([]string{}, r.Warnings()...)})
	}
	return a.printf("%s", r.YAML())
}

type recipeCheckCmd struct {
	Recipe string   `arg:"" help:"A file, or a shipped recipe's name."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Change one key; repeatable."`
	JSON   bool     `name:"json" help:"Print one JSON object {\"ok\",\"errors\",\"warnings\"}."`
}

func (recipeCheckCmd) Help() string {
	return "Each error has its file, line and column, what was expected, and the nearest valid word.\n\nExit codes: 0 nothing is wrong, though there may be warnings; 2 something is wrong."
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
