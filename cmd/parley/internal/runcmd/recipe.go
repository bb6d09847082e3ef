package runcmd

import (
	"io"
	"path/filepath"

	"parley/cmd/parley/internal/cli"
	"parley/viewer/show"
)

type runRecipeCmd struct {
	Run_ string `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	JSON bool   `name:"json" help:"Print one JSON object: the recipe, and where it differs from its preset."`
}

func (runRecipeCmd) Help() string {
	return `Prints where the recipe of a run differs from its preset, or from the shipped recipe of its name; of others the recipe itself.

Example:

    parley run recipe magrpo-tiny-s1

Exit codes: 0 printed; 1 the run cannot be read; 2 there is no such run.`
}

func (c *runRecipeCmd) Run(a *cli.App) error {
	dir, err := cli.FindOne(c.Run_, "parley", "run", "recipe")
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	view, err := show.Open(filepath.Dir(dir)).Recipe(filepath.Base(dir), a.Language)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return a.PrintJSON(view)
	case view.Preset == "":
		return a.PrintText(view.YAML)
	case len(view.Differences) == 0:
		return a.Printf("as %s\n", view.Preset)
	}
	return a.Table(func(w io.Writer) {
		cli.Row(w, "key", view.Preset, "this run")
		for _, d := range view.Differences {
			cli.Row(w, d.Key, cli.OneLine(d.Preset), cli.OneLine(d.Run))
		}
	})
}
