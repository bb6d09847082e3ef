package runcmd

import (
	"errors"
	"io/fs"

	"parley/cmd/parley/internal/cli"
	"parley/runs"
	"parley/train/report"
)

// latex prints the results of the run in dir as tables for a paper.
func latex(a *cli.App, dir string) error {
	r, err := runs.ReadReport(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Usagef("%s has no report yet: it is not trained to the end; parley train --resume %s", dir, dir)
	}
	if err != nil {
		return err
	}
	return a.PrintText(report.LaTeX(r))
}
