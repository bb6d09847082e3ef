package train

import (
	"math"
	"slices"
	"testing"
	"time"

	"parley/train/record"
	"parley/train/timeline"
)

// A stopwatch is a clock that goes on when it is told to.
type stopwatch struct{ now time.Time }

func (s *stopwatch) wait(ms int) { s.now = s.now.Add(time.Duration(ms) * time.Millisecond) }

// TestTimeline plays an update of two turns: phases follow each other without gaps, the calls of the engine lie inside, and the
// shares of time are right.
func TestTimeline(t *testing.T) {
	watch := &stopwatch{time.Unix(1000, 0)}
	line := timeline.New(func() time.Time { return watch.now })
	watch.wait(5)
	line.Begin(7)
	watch.wait(1)
	for range 2 {
		line.Enter(timeline.Sample)
		line.Measure("sample", "engine", timeline.Loop, func() { watch.wait(40) })
		line.Enter(timeline.Score)
		watch.wait(10)
		line.Enter(timeline.Score)
		watch.wait(3)
	}
	line.Enter(timeline.Train)
	line.Measure("step", "engine", timeline.Loop, func() { watch.wait(50) })
	line.Enter(timeline.Save)
	watch.wait(23)
	spans := line.End()

	var phases []string
	at := spans[0].Start
	for _, s := range spans {
		if s.Category == "phase" {
			phases = append(phases, s.Name)
			if math.Abs(s.Start-at) > 1e-3 {
				t.Errorf("%s begins at %v, the phase before ended at %v", s.Name, s.Start, at)
			}
			at = end(s)
		}
		if s.Args.Update != 7 {
			t.Errorf("%s is of update %d", s.Name, s.Args.Update)
		}
	}
	if want := []string{timeline.Sample, timeline.Score, timeline.Sample, timeline.Score, timeline.Train, timeline.Save}; !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
	if spans[0].Name != "update" || spans[0].Start != 1000.005e6 || math.Abs(end(spans[0])-at) > 1e-3 {
		t.Errorf("update %+v, its last phase ends at %v", spans[0], at)
	}
	timing := record.NewTiming(&Metrics{Update: 7}, spans)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"seconds", timing.Seconds, 0.18},
		{"sampling", timing.SampleSeconds, 0.107},
		{"scoring", timing.ScoreSeconds, 0.026},
		{"learning", timing.LearnSeconds, 0.05},
		{"saving", timing.SaveSeconds, 0.023},
		{"idle", timing.IdleShare, 1 - 130.0/180},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// end is when a span ends.
func end(s timeline.Span) float64 { return s.Start + s.Duration }
