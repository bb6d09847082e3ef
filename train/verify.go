package train

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"parley/runs"
	"parley/train/lineup"
	"parley/train/passrate"
	"parley/train/provenance"
)

// Verify looks whether the run in Options.Dir is still what it was: no file of it is damaged, what decides its numbers is the same, and an
// update that is learned again from its episodes gives the same numbers. update 0 is the last one that can be. The runs inside a run, and
// those of an experiment, are looked at too. Nothing is written.
func Verify(ctx context.Context, o Options, update int) (*runs.Verdict, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	v := runs.Verify(o.Dir)
	meta, err := runs.Read(o.Dir)
	if err != nil {
		return v, nil // which the verdict says
	}
	r, err := o.parse(filepath.Join(o.Dir, "run.json"), meta.Recipe)
	if err != nil {
		v.Wrong("run.json: its recipe: %v", err)
		return v, nil
	}
	inside := []string{runs.TrainedSingle}
	if r.Experiment.Active() {
		trials, err := r.Trials()
		if err != nil {
			return nil, err
		}
		inside = inside[:0]
		for _, t := range trials {
			inside = append(inside, t.Name())
		}
	} else {
		o.Recipe = r
		if err := o.verifyOrigin(ctx, v, meta, update); err != nil {
			return nil, err
		}
	}
	return v, o.verifyInside(ctx, v, inside, update)
}

// verifyInside does the same with the runs in a run that there are.
func (o *Options) verifyInside(ctx context.Context, v *runs.Verdict, names []string, update int) error {
	for _, name := range names {
		one := *o
		one.Recipe, one.Language, one.Dir = nil, o.language(), filepath.Join(o.Dir, name)
		if _, err := runs.Read(one.Dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		theirs, err := Verify(ctx, one, update)
		if err != nil {
			return err
		}
		for _, text := range theirs.Checked {
			v.Right("%s: %s", name, text)
		}
		for _, text := range theirs.Problems {
			v.Wrong("%s: %s", name, text)
		}
	}
	return nil
}

// verifyOrigin compares what decides the numbers, and learns an update again.
func (o *Options) verifyOrigin(ctx context.Context, v *runs.Verdict, meta runs.Meta, update int) error {
	s, err := lineup.Open(ctx, o.Recipe, o.Backend)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		v.Wrong("what the run needs cannot be opened: %v", err)
		return nil
	}
	defer s.Close()
	now, err := provenance.Of(s, o.Version)
	if err != nil {
		return err
	}
	if err := provenance.Compare(v, meta, now); err != nil {
		return err
	}
	if update == 0 {
		if update, err = provenance.Replayable(o.Dir); err != nil {
			return err
		}
	}
	if update == 0 {
		v.Right("there is no update to learn again")
		return nil
	}
	if s.Recipe, err = provenance.At(meta, s.Recipe, filepath.Join(o.Dir, "run.json"), update); err != nil {
		return err
	}
	if err := passrate.KeepKnown(ctx, s, o.Dir); err != nil {
		return err
	}
	return provenance.Replay(ctx, v, s, o.Dir, update)
}
