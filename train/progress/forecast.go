// Package progress says how long a run still takes, and lets other tools follow it while it runs, as the recipe asks: TensorBoard by event files,
// MLflow by its server ([Track]).
//
// A run is a row of [Stage]s, most of whose cost is known before: answers are drawn, and in a training they are learned from too. A
// [Forecast] measures how long an answer of each kind takes and counts the answers that are left. It is told what begins and how far it
// is, and it asks a clock that its maker hands in.
//
// A [Plan] says what a recipe will take before anything is measured (plan.go), and anew with what was (measured.go); prices are a file of the user's (prices.go).
package progress

import (
	"slices"
	"time"
)

// A Forecast follows a run through its stages. It serves one goroutine.
type Forecast struct {
	stages  []Stage
	clock   func() time.Time
	at      int       // the current stage
	entered bool      // it has begun in this program
	since   time.Time // when it was heard of last
	share   float64   // of it that was done then
	seconds [2]float64
	answers [2]float64 // that took these seconds, by kind
}

// New returns a forecast of a run with these stages, before its first.
func New(stages []Stage, clock func() time.Time) *Forecast {
	return &Forecast{stages: stages, clock: clock}
}

// Enter says that a stage begins, of which a share in [0, 1] was done by an earlier program. Stages before it are done. A name of no
// stage that is left changes nothing: such work is taken for part of the current one.
func (f *Forecast) Enter(name string, share float64) {
	ahead := slices.IndexFunc(f.stages[f.at:], func(s Stage) bool { return s.Name == name })
	if ahead < 0 {
		return
	}
	f.at += ahead
	f.entered, f.since, f.share = true, f.clock(), share
}

// Reach says that a share in [0, 1] of the current stage is done.
func (f *Forecast) Reach(share float64) {
	if !f.entered || share <= f.share {
		return
	}
	now, s := f.clock(), f.stages[f.at]
	f.seconds[s.Kind] += now.Sub(f.since).Seconds()
	f.answers[s.Kind] += (share - f.share) * float64(s.Answers)
	f.since, f.share = now, share
}

// Aside says that so many seconds of the current stage went into something else, which has a stage of its own.
func (f *Forecast) Aside(seconds float64) {
	f.since = f.since.Add(time.Duration(seconds * float64(time.Second)))
}

// Left is about how long the rest of the run takes; 0: nobody knows yet.
func (f *Forecast) Left() time.Duration {
	seconds := 0.0
	for i, s := range f.stages[f.at:] {
		pace, known := f.pace(s.Kind)
		if !known {
			return 0
		}
		rest := 1.0
		if i == 0 || i == 1 && s.Name == Panel {
			rest -= f.share
		}
		seconds += rest * float64(s.Answers) * pace
	}
	return time.Duration(seconds * float64(time.Second))
}

// pace is how many seconds an answer takes. To draw one takes no longer than to draw and learn from it; how much longer learning takes
// is not known before it begins.
func (f *Forecast) pace(k Kind) (seconds float64, known bool) {
	if k == StageMeasuring && f.answers[StageMeasuring] == 0 {
		k = StageTraining
	}
	return f.seconds[k] / max(f.answers[k], 1), f.answers[k] > 0
}
