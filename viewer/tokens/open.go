package tokens

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/runs"
	"parley/runs/verify"
	"parley/train/lineup"
	"parley/train/provenance"
)

// A GoneError says that what the policies were before an update is not known any more.
type GoneError struct {
	Dir    string
	Update int
	Have   []int // updates of which there is a checkpoint, newest first
}

func (e *GoneError) Error() string {
	can := []string{"1"}
	for _, n := range slices.Backward(e.Have) {
		can = append(can, fmt.Sprint(n+1))
	}
	return fmt.Sprintf("the tokens of update %d cannot be computed: the checkpoint of update %d, with the policies that wrote them, is gone. Those of updates %s can, as far as the run has got. "+
		"A run keeps more with training.checkpoint 1 and a greater training.keep", e.Update, e.Update-1, strings.Join(can, ", "))
}

// open loads the run, without its policies.
func (o Options) open(ctx context.Context, update int) (l lineup.Lineup, err error) {
	meta, err := runs.Read(o.Dir)
	if err != nil {
		return l, err
	}
	file := filepath.Join(o.Dir, runs.MetaFile)
	r, err := o.Language.Parse(file, []byte(meta.Recipe), nil)
	if err != nil {
		return l, fmt.Errorf("the recipe recorded in %s: %w", o.Dir, err)
	}
	if url := r.Engine.Tinker.URL; url != "" {
		return l, usererror.Errorf("%s learned on the server %s (engine.tinker), which says no whole distributions, so the tokens of its answers have no entropy and no ratio here. "+
			"Export a policy and score texts with it on this machine: parley run export %s --out DIR, then parley model score MODEL --adapter DIR", o.Dir, url, o.Dir)
	}
	if a := r.AlgorithmType(); a.Unheard() {
		return l, usererror.Errorf("%s was trained with algorithm %s, which draws no tokens from policies that it trains", o.Dir, a.Name)
	}
	if update > 1 {
		if _, err := verify.PoliciesOf(o.Dir, update-1); err != nil {
			if gone := (*verify.NoCheckpointError)(nil); errors.As(err, &gone) {
				return l, &GoneError{o.Dir, update, gone.Have}
			}
			return l, err
		}
	}
	if !o.Trust {
		if err := provenance.CheckToTalk(o.Language, o.Dir); err != nil {
			return l, err
		}
	}
	was := r
	if r, err = provenance.Moved(o.Dir, meta, r, o.Moved); err != nil {
		return l, err
	}
	meta = provenance.Recorded(meta, was, r)
	if err := provenance.Gone(o.Dir, meta, r, provenance.Speaks); err != nil {
		return l, err
	}
	if r, err = provenance.At(meta, r, file, update); err != nil {
		return l, err
	}
	if l, err = lineup.OpenToReplay(ctx, r, o.Backend); err != nil {
		return l, err
	}
	if err = l.SameBases(meta.Bases); err == nil && o.Keep != nil {
		err = o.Keep(ctx, l, o.Dir)
	}
	if err != nil {
		return l, errors.Join(err, l.Close())
	}
	return l, nil
}
