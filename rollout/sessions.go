package rollout

import (
	"context"
	"encoding/json"
	"sync"

	"parley/environment"
	"parley/task"
)

// sessions remembers which episodes of a stateful environment a run has begun, so that they end with it: most end before, and some are given
// up where the team has said all that it may.
type sessions struct {
	environment.Stateful

	mu    sync.Mutex
	begun []json.RawMessage
}

// Reset implements [environment.Environment].
func (s *sessions) Reset(ctx context.Context, p task.Problem) (environment.Outcome, error) {
	out, err := s.Stateful.Reset(ctx, p)
	if err == nil {
		s.mu.Lock()
		s.begun = append(s.begun, out.State)
		s.mu.Unlock()
	}
	return out, err
}

// end gives up all episodes.
func (s *sessions) end() {
	for _, state := range s.begun {
		s.End(state)
	}
}

// inSessions is a runner whose episodes of a stateful environment end when end is called.
func (r *Runner) inSessions() (run *Runner, end func()) {
	if r.World == nil {
		return r, func() {}
	}
	e, keeps := r.World.Environment.(environment.Stateful)
	if !keeps {
		return r, func() {}
	}
	s := &sessions{Stateful: e}
	own := *r
	own.World = &World{Environment: s, Bounds: r.World.Bounds}
	return &own, s.end
}
