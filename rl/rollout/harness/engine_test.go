package harness

import (
	"context"
	"testing"

	"parley/engine"
	"parley/rl/rollout/gather"
)

type (
	plain      struct{ engine.Engine }
	cluster    struct{ *plain }
	continuous struct{ *plain }
	wrapped    struct{ *continuous }
)

func (cluster) Slots() int { return 4 }

func (continuous) SampleArriving(context.Context, func() []engine.Arrival) error { return nil }

func (w wrapped) Unwrap() engine.Engine { return w.continuous }

// TestTogether: calls that come at any time are let in between two steps, or go one by one to an engine that serves many, or are gathered, in one place
// for each engine.
func TestTogether(t *testing.T) {
	p := &play{behind: gather.Engines(t.Context()), engines: map[engine.Engine]engine.Streamer{}}
	one, many, steps := &plain{}, cluster{&plain{}}, &continuous{&plain{}}
	if s, ok := p.engine(one).(streamer); !ok || p.engine(one) != p.engine(one) {
		t.Errorf("%T", p.engine(one))
	} else if _, gathers := s.Engine.(*gather.Engine); !gathers {
		t.Errorf("%T", s.Engine)
	}
	if s, ok := p.engine(many).(streamer); !ok || s.Engine != many {
		t.Errorf("%T", p.engine(many))
	}
	for _, e := range []engine.Engine{steps, wrapped{steps}} {
		if _, ok := p.engine(e).(*gather.Batcher); !ok || p.engine(e) != p.engine(e) {
			t.Errorf("%T", p.engine(e))
		}
	}
}
