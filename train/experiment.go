package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/train/plan"
	"parley/train/provenance"
	"parley/train/record"
	"parley/train/report"
)

// experiment reports whether the options ask for several runs.
func (o *Options) experiment() (bool, error) {
	if !o.Resume {
		return o.Recipe.Experiment.Active(), nil
	}
	meta, err := runs.Read(o.Dir)
	if err != nil {
		return false, err
	}
	r, err := o.parse(filepath.Join(o.Dir, "run.json"), meta.Recipe)
	return err == nil && r.Experiment.Active(), nil // what is wrong with it, [resume] says
}

// runExperiment does the runs of an experiment one after another, each in a folder of its own within the experiment's, and reports
// their means. Runs that are finished are not done again, so that an interrupted experiment goes on where it was. A run that fails ends no
// other: the result is that of the others, and the error says which failed.
func runExperiment(ctx context.Context, o Options) (*Result, error) {
	run, err := openExperiment(&o)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	if err := run.Bound(o.MaxUpdates); err != nil {
		return nil, err
	}
	if err := run.Retry(); err != nil {
		return nil, err
	}
	trials, err := o.Recipe.Trials()
	if err != nil {
		return nil, err
	}
	o.started(run)
	x := &experiment{recipe: o.Recipe, run: run}
	for i, trial := range trials {
		o.Observe(Event{Kind: Note, Message: fmt.Sprintf("run %d of %d: %s", i+1, len(trials), trial.Name())})
		one, err := x.trial(ctx, trial, o)
		if errors.Is(err, ErrInterrupted) || err != nil && ctx.Err() != nil { // the second: before the run had a folder
			return nil, &interruption{err, "what is finished is saved; go on with\n  " + runs.Again(run.Dir())}
		}
		if err != nil {
			x.fail(trial, err, o)
			continue
		}
		x.done = append(x.done, report.Trial{Name: trial.Name(), Variant: trial.Variant, Seed: trial.Recipe.Seed, Report: one})
	}
	if len(x.done) == 0 {
		return nil, fmt.Errorf("run %s: %w", x.failed[0].Name, x.failed[0].Err)
	}
	result, err := x.finish()
	return result, cmp.Or(err, x.failure())
}

// openExperiment makes the folder of an experiment, or opens the one to go on with.
func openExperiment(o *Options) (*runs.Run, error) {
	if o.Resume {
		run, err := resume(o)
		if err == nil {
			err = o.record(run)
		}
		return run, err
	}
	if o.Dir == "" {
		o.Dir = runs.FreeDir(runs.Root(), o.Recipe.Name, o.Recipe.Seed)
	}
	o.Recipe = plan.Dated(o.Recipe, time.Now())
	return o.createMarked(o.Dir, o.Recipe, provenance.OfRecipe(o.Recipe, o.Backend, o.Version))
}

// An experiment collects the reports of an experiment's runs.
type experiment struct {
	recipe *recipe.Recipe
	run    *runs.Run
	done   []report.Trial
	failed []failure
}

// A failure is a run of an experiment that failed, and why.
type failure struct {
	Name string
	Err  error
}

// fail notes that a run has failed, and says so: the others go on.
func (x *experiment) fail(t recipe.Trial, err error, o Options) {
	x.failed = append(x.failed, failure{t.Name(), err})
	o.note(fmt.Sprintf("run %s failed, and the others go on: %v", t.Name(), err))
}

// failure is the error of an experiment of which some runs failed; nil: none did. It is no mistake of the user's alone, whatever theirs are:
// something was started.
func (x *experiment) failure() error {
	if len(x.failed) == 0 {
		return nil
	}
	var why strings.Builder
	for _, f := range x.failed {
		fmt.Fprintf(&why, "\n  %s: %v", f.Name, f.Err)
	}
	return fmt.Errorf("%d of %d runs failed; the report is about the others. %s does them again%s",
		len(x.failed), len(x.failed)+len(x.done), usererror.Train("--resume", x.run.Dir()), why.String())
}

// trial does one run, or what is left of it.
func (x *experiment) trial(ctx context.Context, t recipe.Trial, o Options) (runs.Report, error) {
	o.Recipe, o.Dir, o.Resume, o.of = t.Recipe, filepath.Join(x.run.Dir(), t.Name()), false, x.run.Dir()
	if err := x.run.Check(t.Name()); err != nil {
		return runs.Report{}, err
	}
	wanted := (&runner{options: o, recipe: t.Recipe}).updates()
	done, err := runs.ReadReport(o.Dir)
	if err == nil && (done.Updates >= wanted || spent(t.Recipe, done.GeneratedTokens)) && report.Check(done) == nil {
		if same, err := provenance.Unchanged(ctx, o.Dir, t.Recipe); same || err != nil {
			return done, err
		}
	}
	if _, err := runs.Read(o.Dir); err == nil || errors.As(err, new(*runs.DamagedError)) {
		o.Recipe, o.Language, o.Resume = nil, t.Recipe.Language(), true
		o.Updates, o.Further, o.Moved = t.Recipe.Training.Updates, 0, provenance.Places(t.Recipe)
	} else if !errors.Is(err, os.ErrNotExist) {
		return done, err
	}
	result, err := Run(ctx, o)
	if err != nil {
		return done, err
	}
	return result.Report, nil
}

// finish writes the experiment's report and its figures.
func (x *experiment) finish() (*Result, error) {
	means, err := report.Means(x.recipe.Name, x.recipe.Seed, x.done)
	if err != nil {
		return nil, err
	}
	text := report.ExperimentText(means, x.done, x.run.Dir())
	for _, f := range x.failed {
		text += fmt.Sprintf("\nRun %s failed and is not in these tables: %v\n", f.Name, f.Err)
	}
	drawn, err := record.ExperimentPictures(x.recipe, means, x.done, x.run.Dir())
	if err != nil {
		return nil, err
	}
	markdown := report.ExperimentMarkdown(means, x.done, drawn)
	drawn["report.csv"] = report.CSV(means)
	if err := x.run.WriteReport(means, markdown, drawn); err != nil {
		return nil, err
	}
	return &Result{Dir: x.run.Dir(), Report: means, Text: text}, nil
}
