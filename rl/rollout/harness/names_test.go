package harness

import (
	"context"
	"testing"
)

// TestNames: names come again, and the last episode of a name is known as long as any.
func TestNames(t *testing.T) {
	h := &Harness{lives: map[string]*Live{}}
	for i := range 3 * remembered {
		e := &Live{ids: ids{purpose: "eval", index: i % 3 * (i % 5)}}
		e.ctx, e.cancel = context.WithCancel(t.Context())
		h.add(e)
		e.cancel()
		if h.find(e.name) != e {
			t.Fatalf("%s is another's name", e.name)
		}
	}
	if len(h.order) > remembered || len(h.lives) > 9 {
		t.Errorf("%d episodes, %d names", len(h.order), len(h.lives))
	}
}
