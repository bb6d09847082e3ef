// Package timeline records where the time of a run goes: update by update, phase by phase, call by call of its engines, as spans of Chrome's
// trace format. Engines and scorers that are watched compute what they would compute unwatched.
//
//	timeline.go  updates, phases, spans
//	engine.go    engines whose calls are recorded
//	scorer.go    scorers whose calls are recorded
package timeline

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"parley/engine"
)

// The phases of an update, in the order in which they first come. They follow each other without gaps; a rollout of several turns
// goes back and forth between the first two.
const (
	Sample = "sample" // prompts are rendered, the engines draw completions
	Score  = "score"  // completions are scored, the next turn is opened
	Train  = "train"  // references and critics are asked, gradients and steps are taken
	Panel  = "panel"  // the team is measured on held-out problems (eval.every)
	Save   = "save"   // metrics and checkpoints are written
)

// Tracks of the timeline: spans of one track nest or follow each other.
const (
	Loop    = 1 // the update, its phases, and in them the calls of engines
	Writer  = 2 // what is written while the engines compute
	Scoring = 3 // what is scored while they do
)

// Span is a stretch of time in the form of a complete event of Chrome's trace format; times are in microseconds.
type Span struct {
	Name     string   `json:"name"`
	Category string   `json:"cat"` // update, phase, engine, writer or judge
	Kind     string   `json:"ph"`
	Start    float64  `json:"ts"` // since 1970
	Duration float64  `json:"dur"`
	Process  int      `json:"pid"`
	Track    int      `json:"tid"`
	Args     spanArgs `json:"args"`
}

type spanArgs struct {
	Update int `json:"update"`
	// Computed is what the engines that agents sit on computed in an update; nil in other spans, and where none of the engines counts.
	Computed *engine.Computed `json:"computed,omitempty"`
	// Apart is how far the log-probabilities of a remote engine's samples are from those that this machine computes;
	// nil: not measured.
	Apart *float64 `json:"apart,omitempty"`
}

// A Timeline records where the time of one update after another goes. It is safe for concurrent use.
type Timeline struct {
	// Learned is told, pass by pass, how many of the data of a call of training are done; nil: it is not told. It is called by the goroutine
	// that trains.
	Learned func(done, all int)

	mu      sync.Mutex
	clock   func() time.Time
	origin  time.Time
	update  int
	began   float64         // of the update
	phase   *Span           // the current one
	spans   []Span          // closed ones of this update
	before  engine.Computed // by the engines when the update began
	splits  int             // calls of training in this update in which one policy's data took more than one pass
	watched map[engine.Engine]engine.Engine
}

// New returns a timeline by a clock.
func New(clock func() time.Time) *Timeline {
	return &Timeline{clock: clock, origin: clock(), watched: map[engine.Engine]engine.Engine{}}
}

// now is the time by the monotonic clock, so that the system's clock may be set while a run goes on. t.mu is held.
func (t *Timeline) now() float64 {
	return float64(t.origin.UnixMicro()) + float64(t.clock().Sub(t.origin).Nanoseconds())/1e3
}

// Begin opens an update in its first phase.
func (t *Timeline) Begin(update int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.update, t.spans, t.splits, t.began = update, nil, 0, t.now()
	t.before, _ = t.computed()
	t.phase = t.open(Sample, "phase", Loop, t.began)
}

// split counts a call of training in which one policy's data took more than one pass.
func (t *Timeline) split() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.splits++
}

// Enter ends the current phase where it is another, and begins this one.
func (t *Timeline) Enter(phase string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.phase == nil || t.phase.Name == phase {
		return
	}
	now := t.now()
	t.close(t.phase, now)
	t.phase = t.open(phase, "phase", Loop, now)
}

// End closes the update and returns its spans, the whole first.
func (t *Timeline) End() []Span {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.close(t.phase, now)
	t.phase = nil
	return slices.Insert(t.spans, 0, t.whole(now))
}

// whole is the span of the update until now.
func (t *Timeline) whole(now float64) Span {
	s := t.open("update", "update", Loop, t.began)
	s.Duration = now - t.began
	if c, counts := t.computed(); counts {
		c = c.Less(t.before)
		s.Args.Computed = &c
	}
	s.Args.Apart = t.apart()
	return *s
}

// computed is what the engines that agents sit on have computed; counts: one of them says.
func (t *Timeline) computed() (sum engine.Computed, counts bool) {
	for e := range t.watched {
		if c, ok := engine.As[engine.Counter](e); ok {
			sum, counts = sum.Plus(c.Computed()), true
		}
	}
	return sum, counts
}

// apart is the greatest of the differences that engines know of.
func (t *Timeline) apart() (most *float64) {
	for e := range t.watched {
		if a, ok := engine.As[engine.Auditor](e); ok {
			if nats, known := a.Apart(); known && (most == nil || nats > *most) {
				most = &nats
			}
		}
	}
	return most
}

// SoFar is what [Timeline.End] would return now; the update goes on.
func (t *Timeline) SoFar() []Span {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	phase := *t.phase
	phase.Duration = now - phase.Start
	return append(slices.Insert(slices.Clone(t.spans), 0, t.whole(now)), phase)
}

// Splits counts the calls of training in this update in which one policy's data took more than one pass.
func (t *Timeline) Splits() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.splits
}

// Measure records the time of f, while an update goes on.
func (t *Timeline) Measure(name, category string, track int, f func()) {
	var s *Span
	t.mu.Lock()
	if t.phase != nil {
		s = t.open(name, category, track, t.now())
	}
	t.mu.Unlock()
	f()
	if s == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.close(s, t.now())
}

func (t *Timeline) open(name, category string, track int, start float64) *Span {
	return &Span{Name: name, Category: category, Kind: "X", Start: start, Process: 1, Track: track, Args: spanArgs{Update: t.update}}
}

func (t *Timeline) close(s *Span, now float64) {
	s.Duration = now - s.Start
	t.spans = append(t.spans, *s)
}

// Seconds adds up the spans of a category, of one name or, where it is empty, of all.
func Seconds(spans []Span, category, name string) float64 {
	sum := 0.0
	for _, s := range spans {
		if s.Category == category && (name == "" || s.Name == name) {
			sum += s.Duration / 1e6
		}
	}
	return sum
}

// Covered is how many seconds have a span of a category in them, however many at the same time.
func Covered(spans []Span, category string) float64 {
	of := slices.DeleteFunc(slices.Clone(spans), func(s Span) bool { return s.Category != category })
	slices.SortStableFunc(of, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	sum, until := 0.0, math.Inf(-1)
	for _, s := range of {
		end := s.Start + s.Duration
		sum += max(0, end-max(s.Start, until)) / 1e6
		until = max(until, end)
	}
	return sum
}

// Apart is how far samples of some spans are from what this machine computes; nil where none says.
func Apart(spans []Span) *float64 {
	for _, s := range spans {
		if s.Args.Apart != nil {
			return s.Args.Apart
		}
	}
	return nil
}

// Computed is what engines computed in the update of some spans; nil where none says.
func Computed(spans []Span) *engine.Computed {
	for _, s := range spans {
		if s.Args.Computed != nil {
			return s.Args.Computed
		}
	}
	return nil
}
