package train

import (
	"context"
	"slices"
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
			e := &watchedEngine{passes{n: n}, line, true}
			if err := e.ForwardBackward(t.Context(), nil, none); err != nil {
				t.Fatal(err)
			}
		}
		if line.splits != update.want {
			t.Errorf("calls of %v passes: %d are split, want %d", update.calls, line.splits, update.want)
		}
	}
}

// What a judge asks of an engine is time in which it computes, within the phase that the timeline is in; between updates nothing is recorded.
func TestJudgesAreWatched(t *testing.T) {
	line := newTimeline(time.Now)
	b := &base{}
	e := b.judging()
	e.Engine = &critic{}
	ask := func() {
		if _, err := e.Sample(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	ask() // nobody watches
	line.judges([]*base{b})
	ask() // no update goes on
	line.begin(1)
	line.enter(phaseScore)
	ask()
	line.enter(phaseTrain)
	var names []string
	for _, s := range line.end()[1:] {
		names = append(names, s.Name)
	}
	if want := []string{phaseSample, "sample", phaseScore, phaseTrain}; !slices.Equal(names, want) {
		t.Errorf("spans %v, want %v: %s, and inside of %s a call", names, want, phaseSample, phaseScore)
	}
	ask()
	if len(line.spans) != 4 {
		t.Errorf("%d spans after a call between updates", len(line.spans))
	}
}
