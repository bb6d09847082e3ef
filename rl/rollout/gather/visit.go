package gather

import (
	"sync"

	"parley/engine"
)

// A visit is one of Stream. The engine never waits for its caller: what happens is noted, and the caller looks when it can.
type visit struct {
	samples []engine.Sample
	news    chan struct{} // has something while there are events

	mu     sync.Mutex
	events []event
}

// An event is a token of the request i, or its end.
type event struct {
	i, token int
	sample   *engine.Sample
	err      error
}

func (c *visit) tell(e event) {
	c.mu.Lock()
	c.events = append(c.events, e)
	c.mu.Unlock()
	select {
	case c.news <- struct{}{}:
	default: // there is word of other events already
	}
}

func (c *visit) take() []event {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.events
	c.events = nil
	return all
}
