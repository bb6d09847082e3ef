package rollout

import (
	"context"

	"parley/task/environment"
)

// inSessions is a runner whose episodes of a stateful environment end when end is called.
func (r *Runner) inSessions(ctx context.Context) (run *Runner, end func()) {
	if r.World == nil {
		return r, func() {}
	}
	e, keeps := r.World.Environment.(environment.Stateful)
	if !keeps {
		return r, func() {}
	}
	s, own := &environment.Sessions{Stateful: e}, *r
	own.World = &World{Environment: s, Bounds: r.World.Bounds}
	return &own, func() { s.EndAll(ctx) }
}
