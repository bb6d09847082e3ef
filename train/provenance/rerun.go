package provenance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/runs"
	"parley/train/lineup"
	"parley/train/plan"
	"parley/train/record"
)

// A Rerun is an update of a run that is learned again from its stored episodes: [Begin], then [Rerun.Learn].
type Rerun struct {
	Episodes []*rollout.Episode // that are learned from
	Learner  learn.Learner
	Stats    learn.Stats

	team   lineup.Lineup
	dir    string
	update int
}

// Begin brings the team, which is that of the run in dir, freshly opened, to where it was before an update. Without a checkpoint of then the
// error wraps [fs.ErrNotExist].
func Begin(ctx context.Context, team lineup.Lineup, dir string, update int) (*Rerun, error) {
	before, err := restore(ctx, team, dir, update-1)
	if err != nil {
		return nil, err
	}
	if err := team.BeginIteration(ctx, update-1); err != nil {
		return nil, err
	}
	config := team.Learning(team.Rollout().Actors)
	config.Recall = Recall(team, dir)
	maps.Copy(config.Steps, before.Steps)
	maps.Copy(config.Tops, before.Tops)
	learner, err := team.Recipe.AlgorithmType().New(config)
	if err != nil {
		return nil, err
	}
	return &Rerun{Learner: learner, team: team, dir: dir, update: update}, before.Give(learner)
}

// Learn does the update again. Afterwards the team's policies are those after the update. credited is called once the episodes have their
// advantages and no parameter has changed; its error ends the update there; nil: it is not called.
func (r *Rerun) Learn(ctx context.Context, credited func() error) error {
	list, err := Episodes(r.dir, r.update)
	if err != nil {
		return err
	}
	r.Episodes = slices.DeleteFunc(list, func(e *rollout.Episode) bool { return e.Failed() != "" })
	s := learn.Recorded(r.update-1, plan.Learned(r.team.Recipe, r.Episodes))
	s.Stats = &r.Stats
	if credited != nil {
		s.Credited = credited
	}
	return r.Learner.Update(ctx, s)
}

// restore gives the team the policies of a checkpoint; before the first update, fresh ones.
func restore(ctx context.Context, team lineup.Lineup, dir string, update int) (before record.State, err error) {
	if err := team.AddPolicies(ctx); err != nil || update == 0 {
		return before, err
	}
	from := runs.CheckpointDir(dir, update)
	data, err := os.ReadFile(filepath.Join(from, "state.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return before, fmt.Errorf("there is no checkpoint of update %d before it: %w", update, fs.ErrNotExist)
	}
	if err == nil {
		err = json.Unmarshal(data, &before)
	}
	if err != nil {
		return before, fmt.Errorf("checkpoint of update %d: %w", update, err)
	}
	return before, team.Load(ctx, from, team.Kept())
}

// Recall reads the episodes of updates of the run in dir as its team learned from them.
func Recall(team lineup.Lineup, dir string) func(update int) ([]*rollout.Episode, error) {
	return func(update int) ([]*rollout.Episode, error) {
		list, err := Episodes(dir, update)
		return plan.Learned(team.Recipe, list), err
	}
}

// Episodes reads those of an update, from 1, of the run in dir.
func Episodes(dir string, update int) (list []*rollout.Episode, err error) {
	err = runs.ReadEpisodes(dir, update, func(line []byte) error {
		e, err := rollout.ReadEpisode(line)
		list = append(list, e)
		return err
	})
	return list, err
}
