// Package runcmd is the verb run: runs are listed, shown, explained, exported and deleted.
//
//	run.go           list, show, rm
//	why.go           show --why: what a run's diagnosis says
//	compare.go       compare: is one recipe better than another
//	watch.go         watch: the progress of a run elsewhere
//	episode.go       episode: what happened to one problem, and why it was paid so
//	episodes.go      episodes: what the run has stored of them, for programs
//	answers.go       answers: held-out problems, with what every system said
//	recipe.go        recipe: how a run differs from its preset
//	query.go         query: questions in SQL
//	swap.go          swap: the team with another one in an agent's place
//	contribution.go  contribution: what each agent of a team is worth to it
//	crossplay.go     crossplay: agents of several runs with each other
//	ask.go           ask: the team answers a question
//	tokens.go        tokens: what a run does not record of single tokens
//	track.go         export --tensorboard and --mlflow
//	verify.go        verify
//	finish.go        finish
//	export.go        export: which policies of a run, in which form; package train/export writes them; show --latex: tables for a paper
package runcmd

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"parley/cmd/parley/internal/askcmd"
	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/live"
	"parley/internal/table"
	"parley/internal/usererror"
	"parley/runs"
	"parley/train/study"
	"parley/viewer"
	"parley/viewer/show"
)

// Cmd is the verb run.
type Cmd struct {
	List runListCmd `cmd:"" help:"List the runs, experiments and studies in the runs folder."`
	Show runShowCmd `cmd:"" help:"Print the report of a run, or the progress of an unfinished one."`

	Compare runCompareCmd `cmd:"" help:"Compare runs on the same held-out problems, seeds put together."`

	Watch   runWatchCmd    `cmd:"" help:"Show the progress of a run that another process trains."`
	Episode runEpisodeCmd  `cmd:"" help:"Print one episode of training with its answers, their rewards and the formulas."`
	Stored  runEpisodesCmd `cmd:"" name:"episodes" help:"Print the episodes of training as JSON lines, or how many there are."`

	Answers runAnswersCmd `cmd:"" help:"Print what each system answered to the held-out problems."`

	Recipe runRecipeCmd        `cmd:"" help:"Print where the recipe of a run differs from its preset."`
	Query  runQueryCmd         `cmd:"" help:"Answer a question about a run in SQL, read-only."`
	Swap   askcmd.Swap         `cmd:"" help:"Let the team work on a problem with another one in an agent's place."`
	Ask    askcmd.Ask          `cmd:"" help:"Let the team, or one agent, answer a question, now or as after an update."`
	Worth  askcmd.Contribution `cmd:"" name:"contribution" help:"Say what each agent contributes, and whether it could be dropped."`
	Cross  askcmd.CrossPlay    `cmd:"" name:"crossplay" help:"Let agents of several runs of one game play together, who have never met."`
	Tokens askcmd.Tokens       `cmd:"" help:"Compute entropy, KL, advantage, ratio and clip of the tokens of an update."`

	Finish runFinishCmd `cmd:"" help:"Measure and report a stopped run as it is."`
	Verify runVerifyCmd `cmd:"" help:"Check that a run is undamaged and still gives its numbers."`
	Rm     runRmCmd     `cmd:"" help:"Delete runs."`
	Export runExportCmd `cmd:"" help:"Export trained policies as PEFT adapters or as full checkpoints."`
}

type runListCmd struct {
	JSON bool `name:"json" help:"Print one JSON object {\"runs\":[…],\"experiments\":[…]}."`
}

func (runListCmd) Help() string {
	return `Lists the runs, experiments and studies in the runs folder, with their state and their results. Of an experiment there is a table of its variants: the keys that they change, the mean of their scores over seeds with Student's interval, and the seeds that lack. The runs folder is PARLEY_RUNS, or else runs in the current folder.

Examples:

    parley run list
    parley run list --json

Exit codes: 0 listed; 1 the folder cannot be read.`
}

func (c *runListCmd) Run(a *cli.App) error {
	list, err := runs.List(runs.Root())
	if err != nil {
		return err
	}
	if c.JSON {
		experiments := []study.Progress{}
		for _, s := range list {
			if s.Kind == runs.Experiment {
				experiments = append(experiments, viewer.SoFar(show.Open(filepath.Dir(s.Dir)), s.Name, a.Language))
			}
		}
		return a.PrintJSON(map[string]any{"runs": append([]runs.Summary{}, list...), "experiments": experiments})
	}
	if len(list) == 0 {
		return a.Printf("no runs in %s; `parley train` makes one\n", runs.Root())
	}
	err = a.Table(func(w io.Writer) {
		cli.Row(w, "run", "state", "updates", "off-the-shelf", "trained", "gain", "measure", "kind")
		for _, s := range list {
			before, after, gain, metric := scores(s.Report)
			cli.Row(w, s.Name, s.State, s.Updates, before, after, gain, metric, kindOf(s))
		}
	})
	for _, s := range list {
		if s.Kind == runs.Experiment && err == nil {
			err = c.variants(a, s)
		}
		if s.State == runs.Damaged && err == nil {
			err = a.Printf("\n%s is damaged: %s\n", s.Name, s.Problem)
		}
	}
	return err
}

// variants are the table of an experiment: the keys that its variants change, and what came of each over its seeds.
func (runListCmd) variants(a *cli.App, s runs.Summary) error {
	e := viewer.SoFar(show.Open(filepath.Dir(s.Dir)), s.Name, a.Language)
	if e.Problem != "" {
		return a.Printf("\n%s cannot be read: %s\n", s.Name, e.Problem)
	}
	if err := a.Printf("\n%s, an experiment: means over seeds ± half of their 95 %% intervals\n", s.Name); err != nil {
		return err
	}
	return a.Table(func(w io.Writer) {
		for _, row := range e.Table() {
			cli.Row(w, row...)
		}
	})
}

// kindOf says what is in a folder, and of several runs how many.
func kindOf(s runs.Summary) string {
	if s.Kind == runs.OneRun {
		return string(s.Kind)
	}
	return fmt.Sprintf("%s of %d", s.Kind, s.Runs)
}

// scores are the cells of a report in the list of runs.
func scores(r *runs.Report) (before, after, gain, metric string) {
	if r == nil {
		return "-", "-", "-", "-"
	}
	cell := func(system string) string {
		if row, ok := r.Row(system); ok {
			return table.Number(row.Score)
		}
		return "-"
	}
	return cell(runs.OffTheShelf), cell(runs.Trained), table.Signed(r.Gain), cmp.Or(r.Metric, "-")
}

type runShowCmd struct {
	Run_ string `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Why  bool   `name:"why" help:"Print the diagnostics of training: what may keep the reward from rising, and what was checked."`
	JSON bool   `name:"json" help:"Print one JSON object: the run and its report; with --why the diagnostics."`

	LaTeX bool `name:"latex" help:"Print the results as tables for a paper (LaTeX, package booktabs)."`
}

func (runShowCmd) Help() string {
	return `Prints the report of a finished run: the table of results, comparisons, and sample dialogues. Of an unfinished run it prints the state and the last update.

Examples:

    parley run show debate-sums-s1
    parley run show runs/debate-sums-s1 --json
    parley run show magrpo-tiny-s1 --why
    parley run show debate-sums-s1 --latex > table.tex

Exit codes: 0 shown; 1 the run cannot be read; 2 there is no such run, or it has no diagnostics for --why or no report for --latex.`
}

func (c *runShowCmd) Run(a *cli.App) error {
	dir, err := cli.FindRun(c.Run_)
	if err != nil {
		return err
	}
	if c.Why {
		if err := cli.One(dir, "parley", "run", "show", "--why"); err != nil {
			return err
		}
		return why(a, dir, c.JSON)
	}
	if c.LaTeX {
		return latex(a, dir)
	}
	s, err := runs.Summarise(dir)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(s)
	}
	switch s.State {
	case runs.Damaged:
		return fmt.Errorf("%s is damaged: %s", s.Dir, s.Problem)
	case runs.Failed:
		return progressOf(a, s)
	}
	if s.Report == nil {
		return progressOf(a, s)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		return err
	}
	metrics, err := readMetrics(dir)
	if err != nil {
		return err
	}
	if curve := live.Panels(metrics); curve != "" {
		text = append(append(text, '\n'), curve...)
	}
	return a.PrintReport(string(text), dir)
}

// progressOf prints what is known of a run without a report about all that it has done.
func progressOf(a *cli.App, s runs.Summary) error {
	var last string
	if err := runs.ReadLines(s.Dir, "metrics.jsonl", func(line []byte) error { last = string(line); return nil }); err != nil {
		return err
	}
	reported := "no report yet"
	if s.Report != nil {
		reported = "its report is about all of them"
	} else if s.Reported > 0 {
		reported = fmt.Sprintf("its report is about the first %d", s.Reported)
	}
	if err := a.Printf("%s: %s, %d updates, %s\n", s.Dir, s.State, s.Updates, reported); err != nil {
		return err
	}
	if s.Problem != "" {
		if err := a.PrintText("it ended with: " + s.Problem + "\n"); err != nil {
			return err
		}
	}
	if last != "" {
		if err := a.Printf("last update: %s\n", last); err != nil {
			return err
		}
	}
	if metrics, err := readMetrics(s.Dir); err != nil {
		return err
	} else if err := a.PrintText(live.Panels(metrics)); err != nil || s.State == runs.Running {
		return err
	}
	if err := a.Printf("go on with: %s\n", runs.Again(s.Dir)); err != nil || s.Checkpoint == 0 {
		return err
	}
	return a.Printf("or measure it as it is, after update %d, with: %s\n", s.Checkpoint, usererror.Quote("parley", "run", "finish", s.Dir))
}

type runRmCmd struct {
	Runs []string `arg:"" name:"run" help:"Folders of runs, or names in the runs folder."`
}

func (runRmCmd) Help() string {
	return `Deletes the folders of runs. It refuses a folder that is not a run, and a run that a process is writing.

Example:

    parley run rm debate-sums-s1 debate-sums-s2

Exit codes: 0 deleted; 1 a run could not be deleted; 2 there is no such run, and nothing was deleted.`
}

func (c *runRmCmd) Run(a *cli.App) error {
	dirs, err := cli.FindRuns(c.Runs)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := runs.Remove(dir); err != nil {
			return err
		}
		a.Say("removed", dir)
	}
	return nil
}
