package environment

import (
	"context"
	"encoding/json"
	"sync"

	"parley/internal/service/web"
	"parley/task"
)

// Sessions remembers which episodes of a stateful environment have begun, so that all of them can be ended: most end before, and some are given
// up where the team has said all that it may. It is safe for concurrent use.
type Sessions struct {
	Stateful

	mu    sync.Mutex
	begun []json.RawMessage
}

// Reset implements [Environment].
func (s *Sessions) Reset(ctx context.Context, p task.Problem) (Outcome, error) {
	out, err := s.Stateful.Reset(ctx, p)
	if err == nil {
		s.mu.Lock()
		s.begun = append(s.begun, out.State)
		s.mu.Unlock()
	}
	return out, err
}

// EndAll gives up all episodes that have begun, all at the same time: a server that does not answer delays them together no longer
// than one.
func (s *Sessions) EndAll(ctx context.Context) {
	s.mu.Lock()
	begun := s.begun
	s.begun = nil
	s.mu.Unlock()
	web.Each(len(begun), len(begun), func(i int) { s.End(ctx, begun[i]) })
}
