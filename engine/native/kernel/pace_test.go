package kernel

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	const µs = time.Microsecond
	good := experience{worked: 10 * µs, woken: true, helped: true}
	vain := experience{worked: 10 * µs, woken: true}
	alone := experience{worked: 10 * µs}
	blocked := experience{worked: 10 * µs, woken: true, helped: true, blocked: true}
	long := experience{worked: 1000 * µs, woken: true, helped: true, blocked: true}
	cases := []struct {
		name    string
		past    []experience
		elapsed time.Duration
		due     bool
	}{
		{"at first", nil, 0, true},
		{"workers help", []experience{good, good}, 0, true},
		{"woken in vain", []experience{vain}, 0, false},
		{"woken in vain, later in the job", []experience{vain}, 10 * µs, true},
		{"woken in vain, after some jobs", []experience{vain, alone}, 0, true},
		{"blocked again and again", []experience{blocked, blocked, blocked, alone, alone}, 0, false},
		{"blocked again and again, long ago", []experience{blocked, blocked, blocked, alone, alone, alone, alone, alone, alone, alone}, 0, true},
		{"blocked in long jobs", []experience{long, long, long, long, long, long, long, long}, 0, true},
		{"blocked, then helped", []experience{blocked, blocked, good}, 0, true},
	}
	for _, c := range cases {
		var p pace
		for _, e := range c.past {
			p.learn(e)
		}
		if got := p.due(c.elapsed); got != c.due {
			t.Errorf("%s: due is %t, want %t (%+v)", c.name, got, c.due, p)
		}
	}
}

// TestPaceNeverGivesUp: however bad the experience, workers are tried again after maxPatience of work.
func TestPaceNeverGivesUp(t *testing.T) {
	var p pace
	for range 100 {
		p.learn(experience{worked: time.Microsecond, blocked: true})
	}
	if !p.due(maxPatience) {
		t.Errorf("not due after %v: %+v", maxPatience, p)
	}
}
