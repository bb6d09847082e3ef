package runcmd

import (
	"errors"

	"parley/cmd/parley/internal/cli"
	"parley/internal/folder"
	"parley/internal/plotio"
	"parley/runs/compare"
)

type runCompareCmd struct {
	Runs    []string `arg:"" name:"run" help:"Folders of runs or experiments, or their names in the runs folder."`
	System  string   `placeholder:"NAME" help:"Compare the scores of this system of each run. Default: trained, or off-the-shelf where nothing was trained."`
	Picture string   `placeholder:"FILE" help:"Draw the comparison to FILE.png, FILE.svg or FILE.pdf."`
	JSON    bool     `name:"json" xor:"format" help:"Print one JSON object {\"rows\":[…],\"differences\":[…]}."`
	CSV     bool     `name:"csv" xor:"format" help:"Print comma-separated values, a line for each score and each difference."`
	LaTeX   bool     `name:"latex" xor:"format" help:"Print tables for a paper (LaTeX, package booktabs)."`
}

func (runCompareCmd) Help() string {
	return `Compares runs that were measured on the same held-out problems. Runs whose recipes differ in the seed alone are put together; the runs of an experiment are put together variant by variant. Every pair is tested problem by problem.

Runs with other problems, another task, another metric or another way to score are refused, with the reason. docs/comparing.md describes the method.

Examples:

    parley run compare debate-sums-s1 debate-sums-shared-s1
    parley run compare maporl-e2-tiny-s1 --picture comparison.pdf
    parley run compare debate-sums-s1 debate-sums-shared-s1 --latex > comparison.tex

Exit codes: 0 compared; 1 a run cannot be read, or the picture cannot be written; 2 there is no such run, or the runs cannot be compared.`
}

func (c *runCompareCmd) Run(a *cli.App) error {
	dirs, err := cli.FindRuns(c.Runs)
	if err != nil {
		return err
	}
	result, err := compare.Of(dirs, c.System)
	if refused := new(compare.RefusedError); errors.As(err, &refused) {
		return cli.Usagef("%v", refused)
	}
	if err != nil {
		return err
	}
	if len(result.Rows) < 2 {
		return cli.Usagef("all of these runs differ in their seeds alone: name other runs to compare them with")
	}
	if c.Picture != "" {
		if err := c.draw(a, result); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		return a.PrintJSON(result)
	case c.CSV:
		return a.PrintText(string(result.CSV()))
	case c.LaTeX:
		return a.PrintText(result.LaTeX())
	}
	return a.PrintReport(result.Text(), "")
}

func (c *runCompareCmd) draw(a *cli.App, result *compare.Comparison) error {
	data, err := result.Picture(c.Picture)
	if unknown := new(plotio.UnknownFormatError); errors.As(err, &unknown) {
		return cli.Usagef("%v", unknown)
	}
	if err == nil {
		err = folder.WriteFile(c.Picture, data)
	}
	if err != nil {
		return err
	}
	a.Say("wrote", c.Picture)
	return nil
}
