package train

import (
	"context"
	"errors"

	"parley/runs"
	"parley/train/lineup"
	"parley/train/provenance"
	"parley/train/talk"
	"parley/train/trust"
)

// OpenTeam loads the trained team of a finished run: Options say its folder, the language of its recipe, the backend, and whether it is
// trusted. Without a folder it is the untrained team of Options.Recipe. Answers are drawn as its evaluation draws them. The caller closes it.
func OpenTeam(ctx context.Context, o Options) (*talk.Team, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	r, meta, err := o.Recipe, runs.Meta{}, error(nil)
	if o.Dir != "" {
		if !o.Trust {
			err = trust.CheckToTalk(o.language(), o.Dir)
		}
		if err == nil {
			r, meta, err = recorded(&o, provenance.Speaks)
		}
		if err != nil {
			return nil, err
		}
	}
	s, err := lineup.OpenToTalk(ctx, r, o.Backend)
	if err != nil {
		return nil, err
	}
	if o.Dir == "" || r.AlgorithmType().Untrained {
		return talk.Of(ctx, s, false)
	}
	if err := s.SameBases(meta.Bases); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	call := &runner{options: o, recipe: r}
	if err := call.loadTrained(ctx, s); err != nil {
		s.Close()
		return nil, err
	}
	return talk.Of(ctx, s, true)
}
