package provenance

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"parley/recipe"
	"parley/runs"
	"parley/runs/verify"
	"parley/train/lineup"
)

// A Verifier looks at runs.
type Verifier struct {
	Language *recipe.Language // of their recipes
	Backend  lineup.Backend   // to learn again on
	Version  string           // of parley
	Update   int              // to learn again; 0: the last one that can be
	Moved    []string         // where files of the run in dir are now: changes key=value
	// Keep leaves the problems that the run in dir chose by its pass rates.
	Keep func(ctx context.Context, team lineup.Lineup, dir string) error
}

// Verify looks whether the run in dir is still what it was: no file of it is damaged, what decides its numbers is the same, and an
// update that is learned again from its episodes gives the same numbers. The runs inside a run, and
// those of an experiment, are looked at too. Nothing is written.
func (o *Verifier) Verify(ctx context.Context, dir string) (*verify.Verdict, error) {
	v := verify.Run(dir)
	meta, err := runs.Read(dir)
	if err != nil {
		return v, nil // which the verdict says
	}
	r, err := o.Language.Parse(filepath.Join(dir, "run.json"), []byte(meta.Recipe), nil)
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
		was := r
		if r, err = Moved(dir, meta, r, o.Moved); err != nil {
			return nil, err
		}
		if err := o.origin(ctx, v, r, Recorded(meta, was, r), dir); err != nil {
			return nil, err
		}
	}
	return v, o.inside(ctx, v, dir, inside)
}

// inside does the same with the runs in a run that there are.
func (o *Verifier) inside(ctx context.Context, v *verify.Verdict, dir string, names []string) error {
	for _, name := range names {
		one := filepath.Join(dir, name)
		if _, err := runs.Read(one); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		theirs, err := o.Verify(ctx, one)
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

// origin compares what decides the numbers, and learns an update again.
func (o *Verifier) origin(ctx context.Context, v *verify.Verdict, r *recipe.Recipe, meta runs.Meta, dir string) error {
	s, err := lineup.OpenToReplay(ctx, r, o.Backend)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		v.Wrong("what the run needs cannot be opened: %v", err)
		return nil
	}
	defer s.Close()
	now, err := Of(ctx, s, o.Version)
	if err != nil {
		return err
	}
	if err := Compare(ctx, v, meta, now); err != nil {
		return err
	}
	update := o.Update
	if update == 0 {
		if update, err = Replayable(dir); err != nil {
			return err
		}
	}
	if update == 0 {
		v.Right("there is no update to learn again")
		return nil
	}
	if s.Recipe, err = At(meta, s.Recipe, filepath.Join(dir, "run.json"), update); err != nil {
		return err
	}
	if err := o.Keep(ctx, s, dir); err != nil {
		return err
	}
	return Replay(ctx, v, s, dir, update)
}
