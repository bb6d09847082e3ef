package train

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/runs/verify"
	"parley/train/kept"
	"parley/train/lineup"
	"parley/train/passrate"
	"parley/train/plan"
	"parley/train/progress"
	"parley/train/provenance"
)

// Evaluate measures without training: the untrained team of Options.Recipe, or, where Options.Dir is a run, its trained team
// beside the untrained one; and the recipe's untrained baselines at equal generated tokens. Problems that are finished are kept in the folder
// Options.Kept until all is done; with Options.Resume the evaluation that is there goes on.
func Evaluate(ctx context.Context, o Options) (*Result, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	e, meta, err := o.evaluated()
	if err != nil {
		return nil, err
	}
	defer e.Close()
	s, err := lineup.Open(ctx, o.Recipe, o.Backend)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	progress.Tell(o.Observe, s.Notes())
	r := &runner{options: o, recipe: o.Recipe, kept: e}
	if r.changes, err = o.changesSince(ctx, meta, s, e); err != nil {
		return nil, err
	}
	if o.Kept != "" {
		s.Keep = e.Keeper
	}
	result, err := r.evaluation(ctx, s)
	if err != nil {
		return nil, e.Unfinished(err, ctx.Err() != nil, func(kept string) error { return &interruption{err, kept} })
	}
	return result, e.Done(o.Answers)
}

// evaluated finds out what is evaluated: the recipe, or a run, or what an interrupted evaluation was about.
func (o *Options) evaluated() (e *kept.Folder, meta runs.Meta, err error) {
	e = kept.New(o.Kept, kept.Origin{Run: o.Dir, Accept: o.AcceptChanged, Moved: o.Moved}, o.note)
	if o.Resume {
		if e, o.Recipe, err = kept.Open(o.Kept, o.language(), o.Trust, o.note); err != nil {
			return nil, meta, err
		}
		o.Dir, o.AcceptChanged, o.Moved = e.Origin().Run, e.Origin().Accept, e.Origin().Moved
	}
	if o.Dir != "" {
		if err = o.trusted(); err == nil {
			o.Recipe, meta, err = recorded(o, nil)
		}
		if err != nil {
			return nil, meta, errors.Join(err, e.Close())
		}
	}
	return e, meta, nil
}

// evaluation measures all systems.
func (r *runner) evaluation(ctx context.Context, s lineup.Lineup) (*Result, error) {
	if r.recipe.AlgorithmType().Decodes() {
		r.kept.Measuring(r.recipe.Algorithm)
		return r.byItself(ctx, s)
	}
	if err := r.evaluate(ctx, s); err != nil {
		return nil, err
	}
	return &Result{Dir: r.options.Dir, Report: r.report, Text: r.text()}, nil
}

// changesSince are what changed of the run that is measured. An evaluation that goes on is refused where anything is another than it was.
func (o *Options) changesSince(ctx context.Context, meta runs.Meta, s lineup.Lineup, e *kept.Folder) ([]runs.Change, error) {
	if o.Dir == "" && o.Kept == "" {
		return nil, nil
	}
	now, err := provenance.Of(ctx, s, o.Version)
	if err == nil {
		err = e.Begin(ctx, s.Recipe, now)
	}
	if err != nil || o.Dir == "" {
		return nil, err
	}
	return provenance.Since(ctx, o.Dir, meta, now, o.AcceptChanged, o.Recipe.Training.Updates, o.note)
}

// recorded is the recipe that a run was made with, and what else it recorded, where its files are now. See [Options.found].
func recorded(o *Options, needs provenance.Needs) (*recipe.Recipe, runs.Meta, error) {
	meta, err := runs.Read(o.Dir)
	if err != nil {
		return nil, meta, err
	}
	r, err := o.parse(filepath.Join(o.Dir, "run.json"), meta.Recipe)
	if err != nil {
		return nil, meta, fmt.Errorf("the recipe recorded in %s: %w", o.Dir, err)
	}
	if r.Experiment.Active() {
		return nil, meta, usererror.Errorf("%s is an experiment of several runs: name one of the folders in it", o.Dir)
	}
	r, meta, err = o.found(meta, r, needs)
	if err != nil {
		return nil, meta, err
	}
	return plan.Dated(r, meta.Created), meta, nil
}

func (r *runner) evaluate(ctx context.Context, l lineup.Lineup) error {
	if r.options.Dir != "" { // said before anything is measured and kept
		if _, err := kept.Finished(r.options.Dir); err != nil {
			return err
		}
	}
	measured, err := l.Measured()
	if err != nil {
		return err
	}
	dir, write := r.kept.Rates(r.options.Dir)
	rates, err := passrate.HeldOut(ctx, measured, dir, write, r.options.note)
	if err != nil {
		return err
	}
	if err := rates.Keep(l, r.options.note); err != nil {
		return err
	}
	r.report, r.by = r.newReport(measured), measured.Scorer.Measure()
	if r.before, err = r.measureTeam(ctx, measured, runs.OffTheShelf, 0, false); err != nil {
		return err
	}
	r.after = r.before
	if r.options.Dir != "" {
		if err := r.loadTrained(ctx, l); err != nil {
			return err
		}
		if r.after, err = r.measureTeam(ctx, measured, runs.Trained, 0, true); err != nil {
			return err
		}
	}
	err = r.furtherSystems(ctx, measured)
	progress.Tell(r.options.Observe, l.EngineNotes())
	if err != nil {
		return err
	}
	return r.results()
}

// loadTrained reads the adapters that a finished run has exported, or those of its newest checkpoint.
func (r *runner) loadTrained(ctx context.Context, s lineup.Lineup) error {
	if err := s.AddPolicies(ctx); err != nil {
		return err
	}
	report, err := kept.Finished(r.options.Dir)
	if err != nil {
		return err
	}
	from, err := verify.PoliciesOf(r.options.Dir, 0)
	if err != nil {
		return err
	}
	if from.Update != report.Updates {
		r.options.Observe(Event{Kind: Note, Message: fmt.Sprintf("the report of the run is about %d updates; taken are the policies after update %d", report.Updates, from.Update)})
	}
	r.report.Updates, r.report.TrainSeconds, r.report.GeneratedTokens = from.Update, report.TrainSeconds, report.GeneratedTokens
	return s.Load(ctx, from.Dir, s.Policies())
}
