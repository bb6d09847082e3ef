package timeline

import (
	"context"
	"slices"

	"parley/rl/rollout"
)

// Runner returns r with engines and a scorer that record their calls.
func (t *Timeline) Runner(r *rollout.Runner) *rollout.Runner {
	watched := *r
	if _, already := r.Scorer.(watchedScorer); !already {
		watched.Scorer = watchedScorer{r.Scorer, t}
	}
	watched.Actors = slices.Clone(r.Actors)
	for i := range watched.Actors {
		actor := &watched.Actors[i]
		if t.watched[actor.Engine] == nil {
			t.watched[actor.Engine] = &Engine{actor.Engine, t, true}
		}
		actor.Engine = t.watched[actor.Engine]
	}
	return &watched
}

// A watchedScorer moves the timeline to scoring.
type watchedScorer struct {
	scorer   rollout.Scorer
	timeline *Timeline
}

// Score implements [rollout.Scorer].
func (s watchedScorer) Score(ctx context.Context, turn []rollout.ScoreItem) error {
	s.timeline.Enter(Score)
	return s.scorer.Score(ctx, turn)
}

// Streams implements [rollout.StreamingScorer].
func (s watchedScorer) Streams() bool {
	e, ok := s.scorer.(rollout.StreamingScorer)
	return ok && e.Streams()
}

// ScoreSome implements [rollout.StreamingScorer].
func (s watchedScorer) ScoreSome(ctx context.Context, some []rollout.ScoreItem) (err error) {
	s.timeline.Measure("judge", "judge", Scoring, func() { err = s.scorer.(rollout.StreamingScorer).ScoreSome(ctx, some) })
	return err
}
