package train

import (
	"context"
	"errors"
	"fmt"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/train/failures"
	"parley/train/plan"
	"parley/train/timeline"
)

// A session is an update that the learner does.
type session struct {
	*loop
	metrics  *Metrics
	episodes []*rollout.Episode
	whole    []*rollout.Episode // that could be scored, as they are learned from; nil: they are not played yet
	first    *rollout.Episode   // of these, as it was played
	written  chan error         // gives the error of writing the episodes; nil: they are not being written
}

// do lets the learner do the update. Where a number is not finite, the episodes are kept for inspection.
func (s *session) do(ctx context.Context) error {
	err := s.learner.Update(ctx, &learn.Session{Update: s.done, Stats: &s.metrics.Stats, Play: s.play, Credited: s.credited})
	if s.written != nil {
		if failed := <-s.written; err == nil {
			err = failed
		}
	}
	if s.whole != nil && errors.Is(err, engine.ErrNotFinite) {
		err = failures.Keep(s.run, s.metrics.Update, s.episodes, err)
	}
	return s.ahead.End(err)
}

// play is what [learn.Session] promises: the problems of the update, played now or while the update before learned.
func (s *session) play(ctx context.Context) ([]*rollout.Episode, error) {
	update := s.metrics.Update
	episodes, err := s.ahead.Of(ctx, s.done)
	if errors.Is(err, engine.ErrNotFinite) {
		return nil, fmt.Errorf("update %d: the policies have diverged: %w; start again with a lower optimizer.lr or with optimizer.clip_norm 1", update, err)
	}
	if err != nil {
		return nil, err
	}
	for _, n := range s.failures.Notes(update, episodes) {
		s.observe(Event{Kind: Warning, Phase: s.phase, Message: n})
	}
	whole, err := failures.Scored(episodes, s.team.Recipe.Training.FailedShare)
	if err != nil {
		return nil, fmt.Errorf("update %d: %w", update, err)
	}
	if err := s.ahead.Begin(ctx, s.done); err != nil {
		return nil, err
	}
	s.episodes, s.whole, s.first = episodes, plan.Learned(s.team.Recipe, whole), whole[0]
	s.timeline.Enter(timeline.Train)
	return s.whole, nil
}

// credited begins to write the episodes, those that could not be scored too, while the engines train on them. Nothing else is written to the run before
// that has ended.
func (s *session) credited() error {
	s.written = make(chan error, 1)
	go func() {
		var err error
		s.timeline.Measure("episodes", "writer", timeline.Writer, func() {
			err = s.run.WriteEpisodes(s.metrics.Update, func(enc func(any) error) error { return keep.WriteAhead(s.episodes, enc) })
		})
		s.written <- err
	}()
	return nil
}
