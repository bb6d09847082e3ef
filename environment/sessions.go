package environment

import (
	"context"
	"encoding/json"
	"sync"

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

// EndAll gives up all episodes that have begun.
func (s *Sessions) EndAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, state := range s.begun {
		s.End(state)
	}
	s.begun = nil
}
