package studycmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/internal/folder"
	"parley/internal/plainfile"
	"parley/internal/plotio"
	"parley/internal/service"
	"parley/internal/usererror"
	"parley/train"
	"parley/train/study"
)

type runCmd struct {
	Study    string `arg:"" help:"Name of a shipped study, or a study file."`
	Out      string `placeholder:"DIR" help:"Folder of the study. Default: study-NAME in the runs folder, which is PARLEY_RUNS or else runs."`
	Jobs     int    `placeholder:"N" help:"Runs at the same time. Default: what the study says, or else one for each core. It changes no number but seconds."`
	Rows     string `placeholder:"FILE" help:"Run nothing: print the tables of the raw rows in FILE, a rows.jsonl."`
	Picture  string `placeholder:"FILE" help:"Also draw the study's first metric to FILE.png, FILE.svg or FILE.pdf."`
	JSON     bool   `name:"json" xor:"format" help:"Print one JSON object {\"cells\":[…],\"differences\":[…]}."`
	CSV      bool   `name:"csv" xor:"format" help:"Print comma-separated values, a line for each number of each run."`
	Markdown bool   `xor:"format" help:"Print tables for a document."`
	LaTeX    bool   `name:"latex" xor:"format" help:"Print tables for a paper (LaTeX, package booktabs)."`

	cli.Events
}

func (runCmd) Help() string {
	return `Does the runs of a study, several at the same time, each in a process and a folder of its own. Then prints the tables. A study that is complete only prints them.

The same command goes on with a study that was interrupted: finished runs are kept, a run that was interrupted is resumed, and one that failed is tried again. If the study or a recipe has changed since, runs that it concerns are refused by name.

The folder of the study has rows.jsonl, a line of raw numbers for each run, and the tables and pictures made of it. docs/studies.md says how budgets, intervals and differences are defined.

Examples:

    parley study roles-sharing
    parley study run roles-sharing --jobs 1
    parley study mine.yaml --out runs/mine --picture mine.svg
    parley study roles-sharing --rows runs/study-roles-sharing/rows.jsonl --markdown

Exit codes: 0 all runs are finished; 1 runs failed, and the tables are about the others; 2 the study, a recipe or the command line is wrong, or a finished run is one of another study; 130 interrupted, and the same command goes on.`
}

func (c *runCmd) Run(a *cli.App) error { return c.While(a, c.study) }

func (c *runCmd) study(a *cli.App) error {
	if c.Jobs < 0 {
		return cli.Usagef("--jobs is %d, expected at least 1", c.Jobs)
	}
	s, plan, err := load(a, c.Study)
	if err != nil {
		return err
	}
	if c.Picture != "" {
		if _, err := plotio.Format(c.Picture); err != nil {
			return cli.Usagef("%v", err)
		}
	}
	if c.Rows != "" {
		return c.fromRows(a, s, plan)
	}
	f, err := openFolder(c.Out, s, plan, a.Language)
	if err != nil {
		return err
	}
	defer f.Close()
	a.Tell(train.Event{Kind: train.Started, Dir: f.dir, Message: s.Name})
	failed, err := f.work(a, c.Jobs)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w%s: what is finished is kept; go on with\n  %s", train.ErrInterrupted, service.Waited(err), c.again())
	}
	if err != nil {
		return err
	}
	rows, failed := f.rows(failed)
	r := study.Of(s, plan, rows)
	if err := f.write(r, rows); err != nil {
		return err
	}
	if err := c.print(a, r); err != nil {
		return err
	}
	if len(failed) > 0 {
		return failure(failed, len(plan.Runs), c.again())
	}
	return c.lacking(a, r)
}

// lacking tells of numbers that the study asks for and no run has.
func (c *runCmd) lacking(a *cli.App, r *study.Results) error {
	if r.NoCurve() {
		a.Sayf("note: no curves are drawn: no update has the number that curve in %s names\n", c.Study)
	}
	if lacking := r.Lacking(); len(lacking) > 0 {
		return cli.Usagef("%s: metrics names %s, which no run has: leave it out, or write a number of the row trained in a run's report.json", c.Study, strings.Join(lacking, ", "))
	}
	return nil
}

// again is the command that goes on with the study.
func (c *runCmd) again() string {
	line := "parley study run " + usererror.Quote(c.Study)
	if c.Out != "" {
		line += " --out " + usererror.Quote(c.Out)
	}
	if c.Jobs > 0 { // seconds are of so many at a time
		line += fmt.Sprintf(" --jobs %d", c.Jobs)
	}
	return line
}

// fromRows prints the tables of rows in a file.
func (c *runCmd) fromRows(a *cli.App, s *study.Study, plan *study.Plan) error {
	rows, err := readRows(c.Rows)
	if err != nil {
		return err
	}
	r := study.Of(s, plan, rows)
	if err := c.print(a, r); err != nil {
		return err
	}
	return c.lacking(a, r)
}

// readRows reads raw rows.
func readRows(file string) ([]study.Row, error) {
	data, err := plainfile.Read(file)
	if err != nil {
		return nil, cli.Usagef("%v", err)
	}
	rows, err := study.Decode(data)
	if err != nil {
		return nil, cli.Usagef("%s: %v", file, err)
	}
	return rows, nil
}

// work does the runs that are not finished, so many at a time; 0: as the study says.
func (f *studyFolder) work(a *cli.App, jobs int) ([]failedJob, error) {
	todo, err := f.todo()
	if err != nil || len(todo) == 0 {
		return nil, err
	}
	cores := runtime.GOMAXPROCS(0)
	jobs = min(cmp.Or(jobs, f.study.Jobs, cores), len(todo))
	a.Sayf("%s: %d of %d runs to do, %d at a time, in %s\n", f.study.Name, len(todo), len(f.plan.Runs), jobs, f.dir)
	one, err := newTrainer(f, max(1, cores/jobs))
	if err != nil {
		return nil, err
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // where nobody reads how far it is any more, the runs go on
	q := queue{Jobs: jobs, Do: one.do, Now: time.Now, Tell: func(e event) {
		a.Say(describe(e))
		a.Tell(f.event(e))
	}}
	return q.Run(a.Ctx, todo)
}

// event is one of the queue, for who wants to know what goes on.
func (f *studyFolder) event(e event) train.Event {
	switch {
	case !e.Ended:
		return train.Event{Kind: train.Started, Dir: f.runDir(e.Name), Of: f.dir, Message: e.Name}
	case e.Err != nil:
		return train.Event{Kind: train.Note, Message: describe(e)}
	}
	return train.Event{Kind: train.Working, Message: "runs", Done: e.Done, All: e.All, TotalLeft: e.Left}
}

// describe says in one line what an event of the queue is.
func describe(e event) string {
	switch {
	case !e.Ended:
		return "begins: " + e.Name
	case e.Err != nil:
		return fmt.Sprintf("%d of %d: %s failed, and the others go on: %s", e.Done, e.All, e.Name, brief(e.Err))
	}
	line := fmt.Sprintf("%d of %d: %s finished in %s", e.Done, e.All, e.Name, e.Took.Round(time.Second))
	if e.Left > 0 {
		line += fmt.Sprintf(", %s left", e.Left.Round(time.Second))
	}
	return line
}

// brief is the first line of an error, with the next one where it announces that.
func brief(err error) string {
	first, rest, _ := strings.Cut(err.Error(), "\n")
	if next, _, _ := strings.Cut(rest, "\n"); strings.HasSuffix(first, ":") {
		first += " " + strings.TrimSpace(next)
	}
	return first
}

// failure is the error of a study of which some runs failed.
func failure(failed []failedJob, all int, again string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d runs failed; the tables are about the others. This does them again: %s", len(failed), all, again)
	for _, f := range failed {
		fmt.Fprintf(&b, "\n  %s: %v", f.Name, f.Err)
	}
	return errors.New(b.String())
}

// print writes the results as the flags ask.
func (c *runCmd) print(a *cli.App, r *study.Results) error {
	if c.Picture != "" {
		data, err := r.Picture(c.Picture)
		if err == nil {
			err = folder.WriteFile(c.Picture, data)
		}
		if err != nil {
			return err
		}
		a.Say("wrote", c.Picture)
	}
	switch {
	case c.JSON:
		return a.PrintJSON(r)
	case c.CSV:
		return a.PrintText(string(r.CSV()))
	case c.Markdown:
		return a.PrintText(r.Markdown())
	case c.LaTeX:
		return a.PrintText(r.LaTeX())
	}
	return a.PrintReport(r.Text(), "")
}
