package engine_test

import (
	"testing"

	"parley/engine"
)

type plain struct{ engine.Engine }

type serving struct {
	engine.Engine
	slots int
}

func (s serving) Slots() int { return s.slots }

// doubling has twice the places of the engine in it, and would pass its context on.
type doubling struct{ engine.Engine }

func (d doubling) Unwrap() engine.Engine { return d.Engine }
func (d doubling) Slots() int            { return 2 * engine.SlotsOf(d.Engine) }
func (doubling) Context() int            { panic("there is none") }

// watching implements no ability of its own.
type watching struct{ engine.Engine }

func (w watching) Unwrap() engine.Engine { return w.Engine }

func TestAs(t *testing.T) {
	for _, c := range []struct {
		name   string
		engine engine.Engine
		slots  int
		has    bool
	}{
		{"an engine without it", plain{}, 0, false},
		{"an engine with it", serving{slots: 3}, 3, true},
		{"a wrapper that adds to it", doubling{serving{slots: 3}}, 6, true},
		{"a wrapper over an engine without it", doubling{plain{}}, 0, false},
		{"a wrapper that does not know it", watching{serving{slots: 3}}, 3, true},
		{"two wrappers", watching{doubling{watching{serving{slots: 3}}}}, 6, true},
		{"nothing passes through a type that does not unwrap", plain{serving{slots: 3}}, 0, false},
	} {
		s, has := engine.As[engine.Server](c.engine)
		if has != c.has || has && s.Slots() != c.slots || engine.SlotsOf(c.engine) != c.slots {
			t.Errorf("%s: %v, %d places, want %v, %d", c.name, has, engine.SlotsOf(c.engine), c.has, c.slots)
		}
		if _, has := engine.As[engine.Contexter](c.engine); has {
			t.Errorf("%s: has a context that nobody within has", c.name)
		}
	}
}
