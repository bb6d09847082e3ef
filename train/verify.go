package train

import (
	"context"

	"parley/runs/verify"
	"parley/train/passrate"
	"parley/train/provenance"
)

// Verify looks whether the run in Options.Dir is still what it was, and learns an update of it again; 0 is the last one that can be. See
// [provenance.Verifier]. Nothing is written.
func Verify(ctx context.Context, o Options, update int) (*verify.Verdict, error) {
	if err := o.trusted(); err != nil {
		return nil, err
	}
	v := provenance.Verifier{Language: o.Language, Backend: o.Backend, Version: o.Version, Update: update, Keep: passrate.KeepKnown, Moved: o.Moved}
	return v.Verify(ctx, o.Dir)
}
