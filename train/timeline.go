package train

import (
	"slices"
	"sync"
	"time"

	"parley/engine"
)

// The phases of an update, in the order in which they first come. They follow each other without gaps; a rollout of several turns
// goes back and forth between the first two.
const (
	phaseSample = "sample" // prompts are rendered, the engines draw completions
	phaseScore  = "score"  // completions are judged, the next turn is opened
	phaseTrain  = "train"  // references and critics are asked, gradients and steps are taken
	phaseSave   = "save"   // metrics and checkpoints are written
)

// Tracks of the timeline: spans of one track nest or follow each other.
const (
	trackLoop   = 1 // the update, its phases, and in them the calls of engines
	trackWriter = 2 // what is written while the engines compute
	trackJudge  = 3 // what is judged while they do
)

// A span is a stretch of time in the form of a complete event of Chrome's trace format; times are in microseconds.
type span struct {
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
}

func (s *span) end() float64 { return s.Start + s.Duration }

// A timeline records where the time of one update after another goes. It is safe for concurrent use.
type timeline struct {
	mu      sync.Mutex
	clock   func() time.Time
	origin  time.Time
	update  int
	began   float64 // of the update
	phase   *span   // the current one
	spans   []span  // closed ones of this update
	splits  int     // calls of training in this update in which one policy's data took more than one pass
	watched map[engine.Engine]engine.Engine
}

func newTimeline(clock func() time.Time) *timeline {
	return &timeline{clock: clock, origin: clock(), watched: map[engine.Engine]engine.Engine{}}
}

// now is the time by the monotonic clock, so that the system's clock may be set while a run goes on. t.mu is held.
func (t *timeline) now() float64 {
	return float64(t.origin.UnixMicro()) + float64(t.clock().Sub(t.origin).Nanoseconds())/1e3
}

// begin opens an update in its first phase.
func (t *timeline) begin(update int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.update, t.spans, t.splits, t.began = update, nil, 0, t.now()
	t.phase = t.open(phaseSample, "phase", trackLoop, t.began)
}

// split counts a call of training in which one policy's data took more than one pass.
func (t *timeline) split() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.splits++
}

// enter ends the current phase where it is another, and begins this one.
func (t *timeline) enter(phase string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.phase == nil || t.phase.Name == phase {
		return
	}
	now := t.now()
	t.close(t.phase, now)
	t.phase = t.open(phase, "phase", trackLoop, now)
}

// end closes the update and returns its spans, the whole first.
func (t *timeline) end() []span {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.close(t.phase, now)
	t.phase = nil
	whole := t.open("update", "update", trackLoop, t.began)
	whole.Duration = now - t.began
	return slices.Insert(t.spans, 0, *whole)
}

// measure records the time of f, while an update goes on.
func (t *timeline) measure(name, category string, track int, f func()) {
	var s *span
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

func (t *timeline) open(name, category string, track int, start float64) *span {
	return &span{Name: name, Category: category, Kind: "X", Start: start, Process: 1, Track: track, Args: spanArgs{t.update}}
}

func (t *timeline) close(s *span, now float64) {
	s.Duration = now - s.Start
	t.spans = append(t.spans, *s)
}

// seconds adds up the spans of a category, of one name or, where it is empty, of all.
func seconds(spans []span, category, name string) float64 {
	sum := 0.0
	for _, s := range spans {
		if s.Category == category && (name == "" || s.Name == name) {
			sum += s.Duration / 1e6
		}
	}
	return sum
}
