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
	Export runExportCmd `cmd:"" help:"Copy a run's adapters as PEFT folders."`
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
	JSON bool   `name:"json" help:"Print one JSON object: the run, with its report where it has one."`
}

func (runShowCmd) Help() string {
	return "Examples:\n\n    parley run show debate-sums-s1\n    parley run show runs/debate-sums-s1 --json\n\nExit codes: 0 shown; 1 the run cannot be read; 2 there is no such run."
}

func (c *runShowCmd) Run(a *app) error {
	dir, err := findRun(c.Run_)
	if err != nil {
		return err
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

type runExportCmd struct {
	Run_ string `arg:"" name:"run" help:"A run's folder, or its name in the runs folder."`
	Out  string `required:"" placeholder:"DIR" help:"Folder to make, with one PEFT folder per policy."`
	JSON bool   `name:"json" help:"Print one JSON object {\"out\":…,\"policies\":[…]}."`
}

func (runExportCmd) Help() string {
	return "Example:\n\n    parley run export debate-sums-s1 --out adapters\n\nExit codes: 0 exported; 1 could not be copied; 2 no such run, no adapters yet, or DIR exists."
}

func (c *runExportCmd) Run(a *app) error {
	dir, err := findRun(c.Run_)
	if err != nil {
		return err
	}
	policies, err := export(dir, c.Out)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(map[string]any{"out": c.Out, "policies": policies})
	}
	for _, p := range policies {
		if err := a.printf("%s\n", filepath.Join(c.Out, p)); err != nil {
			return err
		}
	}
	return nil
}

// peftFiles are what other tools need of an adapter; the optimiser's state stays in the run.
var peftFiles = []string{"adapter_config.json", "adapter_model.safetensors"}

// export copies the adapters of the run in dir to the new folder out. Policies with a value head are critics, of no use
// outside training. The names of the policies are returned.
func export(dir, out string) ([]string, error) {
	if _, err := os.Lstat(out); err == nil {
		return nil, usagef("export: %s exists already: choose another --out", out)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "adapters"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("export: %s has no adapters yet: it is not trained to the end; parley train --resume %s", dir, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	var policies []string
	for _, e := range entries {
		from := filepath.Join(dir, "adapters", e.Name())
		if _, err := os.Stat(filepath.Join(from, "value_head.safetensors")); err == nil {
			continue
		}
		if err := copyFiles(from, filepath.Join(out, e.Name()), peftFiles); err != nil {
			return nil, fmt.Errorf("export policy %s: %w", e.Name(), err)
		}
		policies = append(policies, e.Name())
	}
	return policies, nil
}

func copyFiles(from, to string, names []string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o644)
		}
		if err != nil {
			return err
		}
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
