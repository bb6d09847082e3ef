package report

import (
	"testing"

	"parley/runs"
)

// TestPlay: how a team plays is drawn from before training to the end, where it was measured at both.
func TestPlay(t *testing.T) {
	at := func(x float64) map[string]float64 { return map[string]float64{"exploitability": x} }
	rows := []runs.Row{{System: runs.OffTheShelf, Play: at(0.4)}, {System: runs.Trained, Play: at(0.1)}}
	updates := []Update{{Update: 1}, {Update: 2, Play: at(0.3)}, {Update: 3}, {Update: 4, Play: at(0.1)}}
	for _, c := range []struct {
		rows    []runs.Row
		updates []Update
		drawn   bool
	}{
		{rows, updates, true},
		{rows, nil, true},
		{rows[:1], nil, false},
		{[]runs.Row{{System: runs.OffTheShelf}, {System: runs.Trained}}, make([]Update, 3), false},
	} {
		chart, _, err := play(runs.Report{Rows: c.rows, Updates: 4}, c.updates)
		if err != nil || (chart != nil) != c.drawn {
			t.Errorf("%d rows and %d updates: drawn %v, %v", len(c.rows), len(c.updates), chart != nil, err)
		}
		if chart != nil && (chart.X.Min > 0 || chart.X.Max < 4) {
			t.Errorf("it is drawn from update %v to %v, want 0 to 4", chart.X.Min, chart.X.Max)
		}
	}
}
