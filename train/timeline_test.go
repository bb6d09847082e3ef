package train

import (
	"math"
	"slices"
	"testing"
	"time"
)

// A stopwatch is a clock that goes on when it is told to.
type stopwatch struct{ now time.Time }

func (s *stopwatch) wait(ms int) { s.now = s.now.Add(time.Duration(ms) * time.Millisecond) }

// TestTimeline plays an update of two turns: phases follow each other without gaps, the calls of the engine lie inside, and the
// shares of time are right.
func TestTimeline(t *testing.T) {
	watch := &stopwatch{time.Unix(1000, 0)}
	line := newTimeline(func() time.Time { return watch.now })
	watch.wait(5)
	line.begin(7)
	watch.wait(1)
	for range 2 {
		line.enter(phaseSample)
		line.measure("sample", "engine", trackLoop, func() { watch.wait(40) })
		line.enter(phaseScore)
		watch.wait(10)
		line.enter(phaseScore)
		watch.wait(3)
	}
	line.enter(phaseTrain)
	line.measure("step", "engine", trackLoop, func() { watch.wait(50) })
	line.enter(phaseSave)
	watch.wait(23)
	spans := line.end()

	var phases []string
	at := spans[0].Start
	for _, s := range spans {
		if s.Category == "phase" {
			phases = append(phases, s.Name)
			if math.Abs(s.Start-at) > 1e-3 {
				t.Errorf("%s begins at %v, the phase before ended at %v", s.Name, s.Start, at)
			}
			at = s.end()
		}
		if s.Args.Update != 7 {
			t.Errorf("%s is of update %d", s.Name, s.Args.Update)
		}
	}
	if want := []string{phaseSample, phaseScore, phaseSample, phaseScore, phaseTrain, phaseSave}; !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
	if spans[0].Name != "update" || spans[0].Start != 1000.005e6 || math.Abs(spans[0].end()-at) > 1e-3 {
		t.Errorf("update %+v, its last phase ends at %v", spans[0], at)
	}
	timing := newTiming(&Metrics{Update: 7}, spans)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"seconds", timing.Seconds, 0.18}, {"sampling", timing.SampleSeconds, 0.107}, {"scoring", timing.ScoreSeconds, 0.026},
		{"learning", timing.LearnSeconds, 0.05}, {"saving", timing.SaveSeconds, 0.023}, {"idle", timing.IdleShare, 1 - 130.0/180},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}
