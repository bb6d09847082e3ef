package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSpeedups(t *testing.T) {
	got := SpeedupsOf([]TimedRun{{Reference: 2, Time: 1, Correct: true}, {Reference: 8, Time: 1, Correct: true}})
	if math.Abs(got.GeoMean-4) > 1e-12 || got.Correct != 1 || got.Over2 != 1 {
		t.Errorf("%+v", got)
	}
	if got := SpeedupsOf(nil); !math.IsNaN(got.GeoMean) || !math.IsNaN(got.Correct) || !math.IsNaN(got.Over2) {
		t.Errorf("%+v", got)
	}
}

// TestWrongProgramsCountAsTheSource: a wrong or slower program changes the mean as one that is as fast as the source.
func TestWrongProgramsCountAsTheSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		second := rapid.Float64Range(.1, 9)
		runs := []TimedRun{{Reference: second.Draw(t, "reference"), Time: second.Draw(t, "time"), Correct: true}}
		with := func(r TimedRun) float64 { return SpeedupsOf(append(runs, r)).GeoMean }
		source := with(TimedRun{Reference: 1, Time: 1, Correct: true})
		wrong, slow := with(TimedRun{Reference: 9, Time: 1}), with(TimedRun{Reference: 1, Time: 3, Correct: true})
		if source != wrong || source != slow || source < 1 {
			t.Fatalf("%v, %v, %v", source, wrong, slow)
		}
	})
}
