package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"parley/recipe"
	"parley/runs"
)

type runCmd struct {
	List   runListCmd   `cmd:"" help:"List the runs in the runs folder."`
	Show   runShowCmd   `cmd:"" help:"Print a run's report, or how far it is."`
	Rm     runRmCmd     `cmd:"" help:"Delete runs."`
	Export runExportCmd `cmd:"" help:"Write a run's policies as PEFT adapters, or merged into full checkpoints."`
}

type runListCmd struct {
	JSON bool `name:"json" help:"Print one JSON object {\"runs\":[…]}."`
}

func (runListCmd) Help() string {
	return "The runs folder is runs under the current folder, or PARLEY_RUNS.\n\nExit codes: 0 listed; 1 the folder cannot be read."
}

func (c *runListCmd) Run(a *app) error {
	list, err := runs.List(runs.Root())
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(map[string]any{"runs": append([]runs.Summary{}, list...)})
	}
	if len(list) == 0 {
		return a.printf("no runs in %s; `parley train` makes one\n", runs.Root())
	}
	return a.table(func(w io.Writer) {
		row(w, "run", "state", "updates", "off-the-shelf", "trained", "gain")
		for _, s := range list {
			before, after, gain := scores(s.Report)
			row(w, s.Name, s.State, s.Updates, before, after, gain)
		}
	})
}

// scores are the cells of a report in the list of runs.
func scores(r *runs.Report) (before, after, gain string) {
	if r == nil {
		return "-", "-", "-"
	}
	cell := func(system string) string {
		if row, ok := r.Row(system); ok {
			return fmt.Sprintf("%.3f", row.Score)
		}
		return "-"
	}
	return cell(runs.OffTheShelf), cell(runs.Trained), fmt.Sprintf("%+.3f", r.Gain)
}

type runShowCmd struct {
	Run_ string `arg:"" name:"run" help:"A run's folder, or its name in the runs folder."`
	Why  bool   `name:"why" help:"Say why the reward may be flat: what the diagnostics of training found and what they checked."`
	JSON bool   `name:"json" help:"Print one JSON object: the run, with its report where it has one; with --why the diagnostics."`
}

func (runShowCmd) Help() string {
	return "Examples:\n\n    parley run show debate-sums-s1\n    parley run show runs/debate-sums-s1 --json\n    parley run show magrpo-tiny-s1 --why\n\nExit codes: 0 shown; 1 the run cannot be read; 2 there is no such run, or --why and it has no diagnostics."
}

func (c *runShowCmd) Run(a *app) error {
	dir, err := findRun(c.Run_)
	if err != nil {
		return err
	}
	if c.Why {
		return a.why(dir, c.JSON)
	}
	s, err := runs.Summarise(dir)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(s)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err == nil {
		return a.printText(string(text))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return a.progressOf(s)
}

// progressOf prints what is known of a run without a report.
func (a *app) progressOf(s runs.Summary) error {
	var last string
	if err := runs.ReadLines(s.Dir, "metrics.jsonl", func(line []byte) error { last = string(line); return nil }); err != nil {
		return err
	}
	if err := a.printf("%s: %s, %d updates, no report yet\n", s.Dir, s.State, s.Updates); err != nil {
		return err
	}
	if last != "" {
		a.printf("last update: %s\n", last)
	}
	if s.State == runs.Interrupted {
		return a.printf("go on with: parley train --resume %s\n", s.Dir)
	}
	return nil
}

type runRmCmd struct {
	Runs []string `arg:"" name:"run" help:"Folders of runs, or names in the runs folder."`
}

func (runRmCmd) Help() string {
	return "A folder that is not a run, or that a process is writing to, is left alone.\n\nExit codes: 0 deleted; 1 could not be deleted; 2 there is no such run, nothing was deleted."
}

func (c *runRmCmd) Run(a *app) error {
	var dirs []string
	for _, name := range c.Runs {
		dir, err := findRun(name)
		if err != nil {
			return err
		}
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		if err := runs.Remove(dir); err != nil {
			return err
		}
		fmt.Fprintln(a.stderr, "removed", dir)
	}
	return nil
}

// findRun returns the folder that a user means by a path or by a name in the runs folder.
func findRun(name string) (string, error) {
	for _, dir := range []string{name, filepath.Join(runs.Root(), name)} {
		if _, err := runs.Read(dir); err == nil {
			return dir, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	list, err := runs.List(runs.Root())
	if err != nil {
		return "", err
	}
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	if near := recipe.Nearest(filepath.Base(name), names); near != "" {
		return "", usagef("there is no run %q; did you mean %q?", name, near)
	}
	return "", usagef("there is no run %q; `parley run list` shows those in %s", name, runs.Root())
}
