package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"
)

// TestMeasure checks the order of runs: tasks take turns, each run has its own data, warm-up runs do not count.
func TestMeasure(t *testing.T) {
	var order []string
	var spans []time.Duration
	series := series{Runs{Warmup: 1, Count: 2}, Limits{ReadGBs: 1}, func(d time.Duration) float64 {
		order, spans = append(order, "peak"), append(spans, d)
		return float64(len(spans))
	}}
	fake := func(name string) task {
		return task{name, cost{tokens: 10}, func(run int) func(context.Context) error {
			order = append(order, name+string(rune('0'+run)))
			return func(context.Context) error { return nil }
		}}
	}
	rows, err := series.measure(t.Context(), []task{fake("a"), fake("b")})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a0", "peak", "b0", "peak", "a1", "peak", "b1", "peak", "a2", "peak", "b2", "peak"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if len(rows) != 2 || len(rows[1].All) != 2 || rows[0].Tokens != 10 || !(rows[0].TokensPerSecond > 0) {
		t.Errorf("rows %+v", rows)
	}
	if !slices.Equal(rows[0].Peaks, []float64{3, 5}) || !slices.Equal(rows[1].Peaks, []float64{4, 6}) || slices.Min(spans) < shortestPeak {
		t.Errorf("peaks %v and %v, over %v", rows[0].Peaks, rows[1].Peaks, spans)
	}
	failed := errors.New("failed")
	_, err = series.measure(t.Context(), []task{{"x", cost{}, func(int) func(context.Context) error {
		return func(context.Context) error { return failed }
	}}})
	if !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}

// TestRate checks the figures of a row: 4 passes of 2 GFLOP over 3 GB in 2 seconds on a machine of 8 GFLOP/s and 10 GB/s.
func TestRate(t *testing.T) {
	r := Row{All: []float64{9, 2, 1}, Peaks: []float64{8, 9, 7}}
	r.rate(cost{tokens: 6, flops: 8e9, bytes: 3e9, passes: 4}, 10)
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	near("seconds", r.Seconds, 2)
	near("tokens/s", r.TokensPerSecond, 3)
	near("GFLOP/s", r.GFLOPs, 4)
	near("share of peak", r.PeakShare, 0.5)
	near("GB/s", r.GBs, 6)
	near("share of read", r.ReadShare, 0.6)
	// Reading takes 0.3 s a pass, arithmetic 0.25 s: 1.2 s in all at best.
	near("share of roofline", r.Roofline, 0.6)
	near("median of two", median([]float64{4, 1}), 2.5)
}

// TestBusy checks that a machine whose threads disturb each other is called busy, and an unmeasured one is not.
func TestBusy(t *testing.T) {
	if (Limits{Scaling: 0.98}).Busy() || (Limits{}).Busy() || !(Limits{Scaling: 0.7}).Busy() {
		t.Error("busy is wrong")
	}
}
