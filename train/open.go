package train

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/train/cluster"
	"parley/train/lineup"
	"parley/train/plan"
	"parley/train/progress"
	"parley/train/provenance"
	"parley/train/study"
)

// prepare opens the lineup and the run folder. A new folder is made only once everything that the recipe asks for is there.
func prepare(ctx context.Context, o *Options) (lineup.Lineup, *runs.Run, error) {
	if o.Resume {
		run, err := resume(o)
		if err != nil {
			return lineup.Lineup{}, nil, err
		}
		o.Backend = cluster.Remember(o.Recipe, o.Backend, run.Meta().Cluster)
		s, err := lineup.Open(ctx, o.Recipe, o.Backend)
		if err != nil {
			return lineup.Lineup{}, nil, errors.Join(err, run.Close())
		}
		if err := o.goOn(ctx, run, s); err != nil {
			return lineup.Lineup{}, nil, errors.Join(err, s.Close(), run.Close())
		}
		return s, run, nil
	}
	o.Recipe, o.Backend = plan.Dated(o.Recipe, time.Now()), cluster.Remember(o.Recipe, o.Backend, nil)
	s, err := lineup.Open(ctx, o.Recipe, o.Backend)
	if err != nil {
		return lineup.Lineup{}, nil, err
	}
	dir := o.Dir
	if dir == "" {
		dir = runs.FreeDir(runs.Root(), o.Recipe.Name, o.Recipe.Seed)
	}
	run, err := o.create(ctx, dir, s)
	if err != nil {
		s.Close()
		return lineup.Lineup{}, nil, err
	}
	return s, run, nil
}

// create makes the run folder of a run.
func (o *Options) create(ctx context.Context, dir string, s lineup.Lineup) (*runs.Run, error) {
	meta, err := provenance.Of(ctx, s, o.Version)
	if err != nil {
		return nil, err
	}
	return o.createMarked(dir, s.Recipe, meta)
}

// createMarked makes a run folder that says who made it.
func (o *Options) createMarked(dir string, r *recipe.Recipe, meta runs.Meta) (*runs.Run, error) {
	mark, err := provenance.MarkTrusted(r, meta.Recipe)
	if err != nil {
		o.note(err.Error())
	}
	meta.Mark, meta.Study = mark, study.Around(dir)
	return runs.Create(dir, meta)
}

// goOn looks whether a run may go on, and records what is new about it.
func (o *Options) goOn(ctx context.Context, run *runs.Run, s lineup.Lineup) error {
	if err := o.sameOrigin(ctx, run, s); err != nil {
		return err
	}
	return o.record(run)
}

// trusted refuses the run in Dir where it was made elsewhere and would do what the user has not allowed.
func (o *Options) trusted() error {
	if o.Trust {
		return nil
	}
	return provenance.CheckTrust(o.language(), o.Dir)
}

// found is the recipe that a run recorded, with the places where its files are now, and what else it recorded of them. needs are the files that have
// to be there; nil: all of them.
func (o *Options) found(meta runs.Meta, r *recipe.Recipe, needs provenance.Needs) (*recipe.Recipe, runs.Meta, error) {
	moved, err := provenance.Moved(o.Dir, meta, r, o.Moved)
	if err != nil {
		return nil, meta, err
	}
	meta = provenance.Recorded(meta, r, moved)
	if !r.Experiment.Active() {
		progress.Tell(o.Observe, provenance.Unchecked(o.Dir, meta, r, moved))
	}
	return moved, meta, provenance.Gone(o.Dir, meta, moved, needs)
}

// sameOrigin refuses a run of which something that decides its numbers has changed. A change that is accepted is recorded.
func (o *Options) sameOrigin(ctx context.Context, run *runs.Run, s lineup.Lineup) error {
	now, err := provenance.Of(ctx, s, o.Version)
	if err != nil {
		return err
	}
	was, err := o.parse(filepath.Join(run.Dir(), runs.MetaFile), run.Meta().Recipe)
	if err != nil {
		return err
	}
	list, err := provenance.Changes(ctx, provenance.Recorded(run.Meta(), was, s.Recipe), now)
	if err != nil || len(list) == 0 {
		return err
	}
	if !o.AcceptChanged {
		return provenance.Refuse(run.Dir(), list)
	}
	for _, c := range list {
		o.Observe(Event{Kind: Note, Message: fmt.Sprintf("%s: the run goes on with it, and measures again what it had measured", c)})
	}
	return provenance.Accept(run, now, list)
}

// resume opens the run to go on with and takes its recipe.
func resume(o *Options) (*runs.Run, error) {
	if err := o.trusted(); err != nil {
		return nil, err
	}
	run, err := runs.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	recorded, err := o.parse(filepath.Join(o.Dir, "run.json"), run.Meta().Recipe)
	if err != nil {
		run.Close()
		var wrong *recipe.Errors
		if errors.As(err, &wrong) && recipe.Renamed(wrong) {
			return nil, fmt.Errorf("%s was started by an earlier release, whose recipes had other keys: finish it with that release, or start a new run\n%w", o.Dir, err)
		}
		return nil, fmt.Errorf("the recipe recorded in %s: %w", o.Dir, err)
	}
	if recorded, _, err = o.found(run.Meta(), recorded, nil); err != nil {
		return nil, errors.Join(err, run.Close())
	}
	recorded = plan.Dated(recorded, run.Meta().Created)
	if o.Recipe != nil {
		if line := provenance.RecipeChanged(recorded, o.Recipe); line != "" {
			run.Close()
			return nil, usererror.Errorf("the recipe changed since %s was started: %s; resume without a recipe, or start a new run", o.Dir, line)
		}
	}
	o.Recipe = recorded
	if err := o.lengthen(run); err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}
