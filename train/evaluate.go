package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"parley/internal/shell"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/runs/policies"
	"parley/train/lineup"
	"parley/train/passrate"
	"parley/train/plan"
	"parley/train/provenance"
)

// Evaluate measures without training: the untrained team of Options.Recipe, or, where Options.Dir is a run, its trained team
// beside the untrained one; and the recipe's untrained baselines at equal generated tokens. Nothing is written.
func Evaluate(ctx context.Context, o Options) (*Result, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	var meta runs.Meta
	if o.Dir != "" {
		var err error
		if o.Recipe, meta, err = recorded(&o); err != nil {
			return nil, err
		}
	}
	s, err := lineup.Open(ctx, o.Recipe, o.Backend)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	tell(o.Observe, s.Notes())
	r := &runner{options: o, recipe: o.Recipe}
	if r.changes, err = o.changesSince(meta, s); err != nil {
		return nil, err
	}
	if r.recipe.AlgorithmType().Decodes {
		return r.byItself(ctx, s)
	}
	err = r.evaluate(ctx, s)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w: nothing was written", ErrInterrupted)
	}
	if err != nil {
		return nil, err
	}
	return &Result{Dir: o.Dir, Report: r.report, Text: r.text()}, nil
}

// changesSince are the changes in the middle of a run and those since; the latter are refused unless they are accepted. What computes may
// change: everything is measured by the same.
func (o *Options) changesSince(meta runs.Meta, s lineup.Lineup) ([]runs.Change, error) {
	if o.Dir == "" {
		return nil, nil
	}
	now, err := provenance.Of(s, o.Version)
	if err != nil {
		return nil, err
	}
	list, err := provenance.Changes(meta, now)
	if err != nil {
		return nil, err
	}
	if read := provenance.Read(list); len(read) > 0 && !o.AcceptChanged {
		return nil, provenance.Refuse(o.Dir, read)
	}
	for i, c := range list {
		list[i].Update = o.Recipe.Training.Updates
		o.Observe(Event{Kind: Note, Message: fmt.Sprintf("%s: what is there now is measured", c)})
	}
	return slices.Concat(meta.Changes, list), nil
}

// recorded is the recipe that a run was made with, and what else it recorded.
func recorded(o *Options) (*recipe.Recipe, runs.Meta, error) {
	if err := o.trusted(); err != nil {
		return nil, runs.Meta{}, err
	}
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
	return plan.Dated(r, meta.Created), meta, nil
}

func (r *runner) evaluate(ctx context.Context, l lineup.Lineup) error {
	measured, err := l.Measured()
	if err != nil {
		return err
	}
	rates, err := passrate.HeldOut(ctx, measured, r.options.Dir, r.options.note)
	if err != nil {
		return err
	}
	if err := rates.Keep(l, r.options.note); err != nil {
		return err
	}
	r.report = r.newReport(measured)
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
	tell(r.options.Observe, l.EngineNotes())
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
	report, err := runs.ReadReport(r.options.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return usererror.Errorf("run %s has not finished training: go on with `%s`, or measure what there is with `%s`", r.options.Dir,
			runs.Again(r.options.Dir), shell.Quote("parley", "run", "finish", r.options.Dir))
	}
	if err != nil {
		return err
	}
	from, err := policies.Of(r.options.Dir, 0)
	if err != nil {
		return err
	}
	if from.Update != report.Updates {
		r.options.Observe(Event{Kind: Note, Message: fmt.Sprintf("the report of the run is about %d updates; taken are the policies after update %d", report.Updates, from.Update)})
	}
	r.report.Updates, r.report.TrainSeconds, r.report.GeneratedTokens = from.Update, report.TrainSeconds, report.GeneratedTokens
	return s.Load(ctx, from.Dir, s.Policies())
}
