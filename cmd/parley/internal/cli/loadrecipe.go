package cli

import (
	"errors"
	"fmt"
	"os"

	"parley/engine/native"
	"parley/recipe"
	"parley/runs"
	"parley/serve/harness"
	"parley/train/lineup"
)

// Backend has the embedded engine, and the door of programs in which teams work.
func Backend() lineup.Backend { return harness.Backend{Backend: native.Backend{}} }

// Overlays is the flag for files over a recipe.
type Overlays struct {
	Overlay []string `sep:"none" placeholder:"FILE" help:"Lay a file over the recipe: keys that it has, as YAML or JSON, take the place of the recipe's. Comes before --set. Repeatable, the last wins."`
}

// Refuse says that overlays are for recipes, where something else is named.
func (o Overlays) Refuse(what string) error {
	if len(o.Overlay) > 0 {
		return Usagef("--overlay changes a recipe, and %s is none: leave it out", what)
	}
	return nil
}

// LoadRecipe reads the recipe that is named, or the default one, with its changes.
func (a *App) LoadRecipe(name string, sets []string, seed *int, overlays ...string) (*recipe.Recipe, error) {
	if name == "" {
		name = recipe.DefaultName
	}
	if seed != nil {
		sets = append(sets[:len(sets):len(sets)], fmt.Sprintf("seed=%d", *seed))
	}
	return a.Language.Load(name, sets, overlays...)
}

// RecipeOf reads a recipe by the name of a shipped one or from a file; or, where there is neither, the recipe of a run.
func (a *App) RecipeOf(name string, sets []string, overlays ...string) (*recipe.Recipe, error) {
	r, err := a.Language.Load(name, sets, overlays...)
	var unknown *recipe.UnknownError
	if info, no := os.Stat(name); !errors.As(err, &unknown) && (no != nil || !info.IsDir()) {
		return r, err
	}
	dir, err := FindRun(name)
	if _, ok := errors.AsType[*UsageError](err); ok {
		return nil, UnknownTarget(name)
	}
	if err != nil {
		return nil, err
	}
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, err
	}
	return a.Language.Parse("recipe of run "+dir, []byte(meta.Recipe), sets, overlays...)
}

// Moved is the flag for files of a run that are elsewhere now.
type Moved struct {
	Set []string `sep:"none" placeholder:"KEY=PATH" help:"Where a file is now that the run's recipe names, such as task.path=PATH: it was moved, or the run was. Repeatable."`
}
