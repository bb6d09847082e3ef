package train

import (
	"context"
	"testing"
	"time"

	"parley/engine"
)

// A passes is an engine whose calls of training take so many passes.
type passes struct {
	engine.Engine
	n int
}

func (p passes) ForwardBackward(_ context.Context, _ []engine.Datum, loss engine.Loss) error {
	for range p.n {
		if _, err := loss(0, nil); err != nil {
			return err
		}
	}
	return nil
}

// Calls that take several passes are counted, update by update.
func TestSplitCalls(t *testing.T) {
	line := newTimeline(time.Now)
	none := func(int, []engine.Output) ([]engine.Gradient, error) { return nil, nil }
	for _, update := range []struct {
		calls []int
		want  int
	}{{[]int{1, 2, 5}, 2}, {[]int{1, 1}, 0}} {
		line.begin(1)
		for _, n := range update.calls {
			e := &watchedEngine{passes{n: n}, line}
			if err := e.ForwardBackward(t.Context(), nil, none); err != nil {
				t.Fatal(err)
			}
		}
		if line.splits != update.want {
			t.Errorf("calls of %v passes: %d are split, want %d", update.calls, line.splits, update.want)
		}
	}
}
