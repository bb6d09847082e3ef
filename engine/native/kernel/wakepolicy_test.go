package kernel

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	const µs = time.Microsecond
	good := jobOutcome{worked: 10 * µs, woken: true, helped: true}
	vain := jobOutcome{worked: 10 * µs, woken: true}
	alone := jobOutcome{worked: 10 * µs}
	blocked := jobOutcome{worked: 10 * µs, woken: true, helped: true, blocked: true}
	long := jobOutcome{worked: 1000 * µs, woken: true, helped: true, blocked: true}
	cases := []struct {
		name    string
		past    []jobOutcome
		elapsed time.Duration
		due     bool
	}{
		{"at first", nil, 0, true},
		{"workers help", []jobOutcome{good, good}, 0, true},
		{"woken in vain", []jobOutcome{vain}, 0, false},
		{"woken in vain, later in the job", []jobOutcome{vain}, 10 * µs, true},
		{"woken in vain, after some jobs", []jobOutcome{vain, alone}, 0, true},
		{"blocked again and again", []jobOutcome{blocked, blocked, blocked, alone, alone}, 0, false},
		{"blocked again and again, long ago", []jobOutcome{blocked, blocked, blocked, alone, alone, alone, alone, alone, alone, alone}, 0, true},
		{"blocked in long jobs", []jobOutcome{long, long, long, long, long, long, long, long}, 0, true},
		{"blocked, then helped", []jobOutcome{blocked, blocked, good}, 0, true},
	}
	for _, c := range cases {
		var p wakePolicy
		for _, e := range c.past {
			p.learn(e)
		}
		if got := p.due(c.elapsed); got != c.due {
			t.Errorf("%s: due is %t, want %t (%+v)", c.name, got, c.due, p)
		}
	}
}

// TestWakePolicyNeverGivesUp: however bad the outcomes, workers are tried again after maxPatience of work.
func TestWakePolicyNeverGivesUp(t *testing.T) {
	var p wakePolicy
	for range 100 {
		p.learn(jobOutcome{worked: time.Microsecond, blocked: true})
	}
	if !p.due(maxPatience) {
		t.Errorf("not due after %v: %+v", maxPatience, p)
	}
}
