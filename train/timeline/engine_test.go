package timeline

import (
	"context"
	"slices"
	"testing"
	"time"

	"parley/engine"
	"parley/rl/rollout"
)

// A passes is an engine whose passes of training have so many data each.
type passes struct {
	engine.Engine
	sizes []int
}

func (p passes) ForwardBackward(_ context.Context, _ []engine.Datum, loss engine.Loss) error {
	first := 0
	for _, n := range p.sizes {
		if _, err := loss(first, make([]engine.Output, n)); err != nil {
			return err
		}
		first += n
	}
	return nil
}

// Calls in which the data of a policy take several passes are counted, update by update.
func TestSplitCalls(t *testing.T) {
	line := New(time.Now)
	none := func(int, []engine.Output) ([]engine.Gradient, error) { return nil, nil }
	data := []engine.Datum{{Policy: "p"}, {Policy: "p"}, {Policy: "p"}, {Policy: "q"}, {Policy: "q"}}
	for _, update := range []struct {
		calls [][]int
		want  int
	}{{[][]int{{5}, {2, 3}, {1, 1, 1, 1, 1}, {3, 1, 1}}, 3}, {[][]int{{5}, {3, 2}}, 0}} {
		line.Begin(1)
		for _, sizes := range update.calls {
			e := &Engine{passes{sizes: sizes}, line, true}
			if err := e.ForwardBackward(t.Context(), data, none); err != nil {
				t.Fatal(err)
			}
		}
		if line.splits != update.want {
			t.Errorf("passes of %v data: %d calls are split, want %d", update.calls, line.splits, update.want)
		}
	}
}

// Time in which several calls are under way counts once.
func TestCovered(t *testing.T) {
	span := func(category string, from, seconds float64) Span {
		return Span{Category: category, Start: from * 1e6, Duration: seconds * 1e6}
	}
	spans := []Span{span("engine", 5, 2), span("update", 0, 100), span("engine", 1, 3), span("engine", 2, 1), span("engine", 3, 2), span("engine", 20, 0.5)}
	if got := Covered(spans, "engine"); got != 6.5 {
		t.Errorf("%g s, want 6.5", got)
	}
}

// mute is an engine that samples nothing.
type mute struct{ engine.Engine }

func (mute) Sample(context.Context, []engine.SampleRequest) ([]engine.Sample, error) { return nil, nil }

// What a judge asks of an engine is time in which it computes, within the phase that the timeline is in; between updates nothing is recorded.
func TestJudgesAreWatched(t *testing.T) {
	line := New(time.Now)
	e := Asked(mute{})
	ask := func() {
		if _, err := e.Sample(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	ask() // nobody watches
	line.Watch(e)
	ask() // no update goes on
	line.Begin(1)
	line.Enter(Score)
	ask()
	line.Enter(Train)
	var names []string
	for _, s := range line.End()[1:] {
		names = append(names, s.Name)
	}
	if want := []string{Sample, "sample", Score, Train}; !slices.Equal(names, want) {
		t.Errorf("spans %v, want %v: %s, and inside of %s a call", names, want, Sample, Score)
	}
	ask()
	if len(line.spans) != 4 {
		t.Errorf("%d spans after a call between updates", len(line.spans))
	}
}

// A counter is an engine that computes a token in each call of Sample.
type counter struct {
	mute
	n *int
}

func (c counter) Sample(context.Context, []engine.SampleRequest) ([]engine.Sample, error) {
	*c.n++
	return nil, nil
}

func (c counter) Computed() engine.Computed { return engine.Computed{Sampled: *c.n} }

// The span of an update says what the engines of its agents computed in it, each counted once; where no engine counts, it says nothing.
func TestComputed(t *testing.T) {
	line, e := New(time.Now), counter{n: new(int)}
	r := line.Runner(&rollout.Runner{Actors: []rollout.Actor{{Engine: e}, {Engine: e}, {Engine: mute{}}}})
	for _, calls := range []int{2, 3} {
		line.Begin(1)
		for range calls {
			if _, err := r.Actors[1].Engine.Sample(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if got := Computed(line.SoFar()); got == nil || got.Sampled != calls {
			t.Errorf("%d calls so far compute %+v", calls, got)
		}
		if got := Computed(line.End()); got == nil || got.Sampled != calls {
			t.Errorf("%d calls compute %+v", calls, got)
		}
		if _, err := e.Sample(t.Context(), nil); err != nil { // between updates
			t.Fatal(err)
		}
	}
	none := New(time.Now)
	none.Runner(&rollout.Runner{Actors: []rollout.Actor{{Engine: mute{}}}})
	none.Begin(1)
	if got := Computed(none.End()); got != nil {
		t.Errorf("an engine that does not count computes %+v", got)
	}
}

// steps is an engine that takes requests in at any time.
type steps struct{ engine.Engine }

func (steps) SampleArriving(_ context.Context, arrive func() []engine.Arrival) error {
	for _, a := range arrive() {
		a.Done(engine.Sample{}, nil)
	}
	return nil
}

// Requests that come at any time are sampling, too; an engine that takes none is none for its wrapper either.
func TestArriving(t *testing.T) {
	line, done := New(time.Now), 0
	line.Begin(1)
	c, ok := engine.As[engine.Continuous](&Engine{steps{}, line, true})
	if !ok {
		t.Fatal("the ability is lost")
	}
	err := c.SampleArriving(t.Context(), func() []engine.Arrival {
		return []engine.Arrival{{Done: func(engine.Sample, error) { done++ }}}
	})
	spans := line.End()
	if err != nil || done != 1 || !slices.ContainsFunc(spans, func(s Span) bool { return s.Category == "phase" && s.Name == Sample }) ||
		!slices.ContainsFunc(spans, func(s Span) bool { return s.Category == "engine" && s.Name == "sample" }) {
		t.Errorf("%v, %d requests, %+v", err, done, spans)
	}
	if _, has := engine.As[engine.Continuous](&Engine{passes{}, line, true}); has {
		t.Error("it takes no requests")
	}
}
