package learn

import (
	"context"

	"parley/rl/rollout"
)

// A Session is one update of a run, as its algorithm sees it: what the run does for it, and where its numbers go.
type Session struct {
	Update int // from 0
	Stats  *Stats
	// Play lets the team work on the problems of the update. It returns the episodes that could be scored, at least one.
	Play func(ctx context.Context) ([]*rollout.Episode, error)
	// Credited says that the episodes are credited and do not change any more: they are written down while the algorithm learns from them.
	// An error ends the update before it learns.
	Credited func() error
}

// Run is an update in its usual order: the team plays, assign says what was earned, which is written down, and train takes the steps.
func (s *Session) Run(
	ctx context.Context,
	assign func(context.Context, []*rollout.Episode, *Stats) error,
	train func(ctx context.Context, update int, episodes []*rollout.Episode, s *Stats) error,
) error {
	episodes, err := s.Play(ctx)
	if err != nil {
		return err
	}
	if err := assign(ctx, episodes, s.Stats); err != nil {
		return err
	}
	if err := s.Credited(); err != nil {
		return err
	}
	return train(ctx, s.Update, episodes, s.Stats)
}

// Recorded is a session over episodes that were played before. Nothing of it is written.
func Recorded(update int, episodes []*rollout.Episode) *Session {
	return &Session{
		Update: update, Stats: new(Stats),
		Play:     func(context.Context) ([]*rollout.Episode, error) { return episodes, nil },
		Credited: func() error { return nil },
	}
}
