package train

import (
	"context"
	"errors"

	"parley/runs"
	"parley/train/lineup"
	"parley/train/provenance"
)

// OpenTeam loads the trained team of a finished run: Options say its folder, the language of its recipe, the backend, and whether it is
// trusted. Without a folder it is the untrained team of Options.Recipe. The caller closes it. trained says that its policies are there.
func OpenTeam(ctx context.Context, o Options) (s lineup.Lineup, trained bool, err error) {
	if err := o.complete(); err != nil {
		return s, false, err
	}
	r, meta := o.Recipe, runs.Meta{}
	if o.Dir != "" {
		if !o.Trust {
			err = provenance.CheckToTalk(o.language(), o.Dir)
		}
		if err == nil {
			r, meta, err = recorded(&o, provenance.Speaks)
		}
		if err != nil {
			return s, false, err
		}
	}
	if s, err = lineup.OpenToTalk(ctx, r, o.Backend); err != nil || o.Dir == "" || r.AlgorithmType().Untrained() {
		return s, false, err
	}
	if err := s.SameBases(meta.Bases); err != nil {
		return s, false, errors.Join(err, s.Close())
	}
	call := &runner{options: o, recipe: r}
	if err := call.loadTrained(ctx, s); err != nil {
		s.Close()
		return s, false, err
	}
	return s, true, nil
}
