package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/train/measure"
)

// Evaluate measures without training: the untrained team of Options.Recipe, or, where Options.Dir is a run, its trained team
// beside the untrained one; and the recipe's untrained baselines at equal generated tokens. Nothing is written.
func Evaluate(ctx context.Context, o Options) (*Result, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	var bases []runs.Base
	if o.Dir != "" {
		var err error
		if o.Recipe, bases, err = recorded(&o); err != nil {
			return nil, err
		}
	}
	s, err := reopen(ctx, o.Recipe, bases, o.Backend)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.announce(o.Observe)
	j := &job{options: o, recipe: o.Recipe}
	err = j.evaluate(ctx, s)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w: nothing was written", ErrInterrupted)
	}
	if err != nil {
		return nil, err
	}
	return &Result{Dir: o.Dir, Report: j.report, Text: j.text()}, nil
}

// recorded is the recipe that a run was made with, and the bases it was made on.
func recorded(o *Options) (*recipe.Recipe, []runs.Base, error) {
	meta, err := runs.Read(o.Dir)
	if err != nil {
		return nil, nil, err
	}
	r, err := o.parse(filepath.Join(o.Dir, "run.json"), meta.Recipe)
	if err != nil {
		return nil, nil, fmt.Errorf("the recipe recorded in %s: %w", o.Dir, err)
	}
	if r.Experiment.Active() {
		return nil, nil, usererror.Errorf("%s is an experiment of several runs: name one of the folders in it", o.Dir)
	}
	return r, meta.Bases, nil
}

func (j *job) evaluate(ctx context.Context, s *session) error {
	rates, err := s.heldOutRates(ctx, j.options.Dir, j.options.Observe)
	if err != nil {
		return err
	}
	if err := s.keep(rates, j.options.Observe); err != nil {
		return err
	}
	j.report = j.newReport(s.exam)
	if j.before, err = j.measure(ctx, "off-the-shelf", 0, func(ctx context.Context) (*measure.Measurement, error) {
		return s.exam.measureTeam(ctx, "off-the-shelf", false)
	}); err != nil {
		return err
	}
	j.after = j.before
	if j.options.Dir != "" {
		if err := j.loadTrained(ctx, s); err != nil {
			return err
		}
		if j.after, err = j.measure(ctx, "trained", 0, func(ctx context.Context) (*measure.Measurement, error) {
			return s.exam.measureTeam(ctx, "trained", true)
		}); err != nil {
			return err
		}
	}
	err = j.further(ctx, s.exam)
	s.tell(j.options.Observe)
	if err != nil {
		return err
	}
	return j.results()
}

// loadTrained reads the adapters that a finished run has exported, or those of its newest checkpoint.
func (j *job) loadTrained(ctx context.Context, s *session) error {
	if err := s.addPolicies(ctx); err != nil {
		return err
	}
	report, err := runs.ReadReport(j.options.Dir)
	if err == nil {
		j.report.Updates, j.report.TrainSeconds, j.report.GeneratedTokens = report.Updates, report.TrainSeconds, report.GeneratedTokens
		return s.load(ctx, filepath.Join(j.options.Dir, "adapters"), s.policies())
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return usererror.Errorf("run %s has not finished training: go on with `parley train --resume %s` first", j.options.Dir, j.options.Dir)
}
