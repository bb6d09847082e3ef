package ask

// This file opens the team of a run as it is now, or as it was after an update: for who plays with it and trains nothing.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
	"parley/runs/verify"
	"parley/train/lineup"
	"parley/train/plan"
	"parley/train/provenance"
	"parley/viewer/episodes"
)

// TeamOptions say of which run, and on which engine.
type TeamOptions struct {
	Dir      string
	Language *recipe.Language
	Backend  lineup.Backend
	Trust    bool     // the run was made elsewhere, and may do what its recipe asks for
	Update   int      // after which the team is wanted; 0: as it is now
	Moved    []string // where files are now that the recipe names: changes key=value
	Scored   bool     // what it says is scored; else nothing that scores needs to be there
	Problems bool     // the held-out problems that it was measured on are there too
}

// A Team is that of a run.
type Team struct {
	lineup.Lineup
	Update  int  // after which it is what it is
	Trained bool // else its bases speak, as those of an algorithm that trains nothing do
}

// OpenTeam opens it. Whoever opens it closes it.
func OpenTeam(ctx context.Context, o TeamOptions) (Team, error) {
	if !o.Trust {
		check := provenance.CheckToTalk
		if o.Scored || o.Problems {
			check = provenance.CheckTrust
		}
		if err := check(o.Language, o.Dir); err != nil {
			return Team{}, err
		}
	}
	r, meta, err := RecipeOf(o.Language, o.Dir)
	if err != nil {
		return Team{}, err
	}
	if r.Experiment.Active() {
		return Team{}, usererror.Errorf("%s is an experiment of several runs: name one of the folders in it", o.Dir)
	}
	was := r
	if r, err = provenance.Moved(o.Dir, meta, r, o.Moved); err != nil {
		return Team{}, err
	}
	meta = provenance.Recorded(meta, was, r)
	needs, open := provenance.Speaks, lineup.OpenToTalk
	switch {
	case o.Problems:
		needs, open = nil, lineup.Open
	case o.Scored:
		needs, open = provenance.Plays, lineup.OpenToPlay
	}
	if err := provenance.Gone(o.Dir, meta, r, needs); err != nil {
		return Team{}, err
	}
	t := Team{Trained: !r.AlgorithmType().Untrained()}
	var from verify.Saved
	if t.Trained || o.Update != 0 {
		if from, err = verify.PoliciesOf(o.Dir, o.Update); err != nil {
			return Team{}, err
		}
		t.Update = from.Update
	}
	if t.Lineup, err = open(ctx, plan.Dated(r, meta.Created), o.Backend); err != nil {
		return Team{}, err
	}
	if err = t.SameBases(meta.Bases); err == nil && t.Trained {
		if err = t.AddPolicies(ctx); err == nil {
			err = t.Load(ctx, from.Dir, t.Policies())
		}
	}
	if err != nil {
		return Team{}, errors.Join(err, t.Close())
	}
	return t, nil
}

// TeamOf is who worked in the run in dir, with the protocol of the recipe that it recorded, where that is a recipe of this release and says all of it: a
// program in a file may be another one by now.
func TeamOf(l *recipe.Language, dir string) episodes.Team {
	t := episodes.TeamIn(dir)
	if r, _, err := RecipeOf(l, dir); err == nil && (r.Team.Program == "" || strings.Contains(r.Team.Program, "\n")) {
		if p, err := plan.Protocol(r); err == nil {
			t.Protocol = p
		}
	}
	return t
}

// RecipeOf is the recipe that the run in dir recorded, and what else it recorded.
func RecipeOf(language *recipe.Language, dir string) (*recipe.Recipe, runs.Meta, error) {
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, meta, err
	}
	r, err := language.Parse(filepath.Join(dir, runs.MetaFile), []byte(meta.Recipe), nil)
	if err != nil {
		return nil, meta, fmt.Errorf("the recipe recorded in %s: %w", dir, err)
	}
	return r, meta, nil
}
