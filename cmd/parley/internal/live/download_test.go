package live

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"parley/model/hub"
)

// TestPulling: without a terminal, few lines and no control characters; with one, a line that is drawn again.
func TestPulling(t *testing.T) {
	for _, draw := range []bool{false, true} {
		var out bytes.Buffer
		clock := time.Unix(0, 0)
		p := &pulling{w: &out, draw: draw, now: func() time.Time { clock = clock.Add(time.Second); return clock }}
		p.observe(hub.Progress{File: "a", Waiting: true, Total: 30 << 20})
		for i := range int64(31) {
			p.observe(hub.Progress{File: "a", Done: i << 20, Total: 30 << 20})
		}
		p.close()
		control := strings.ContainsFunc(out.String(), func(c rune) bool { return unicode.IsControl(c) && c != '\n' })
		if lines := strings.Count(out.String(), "\n"); control != draw || draw && lines != 1 || !draw && (lines < 3 || lines > 6) {
			t.Errorf("draw %v: %d lines: %q", draw, lines, out.String())
		}
		if !strings.Contains(out.String(), "30.0 MiB of 30.0 MiB  a") || !strings.Contains(out.String(), "waiting") {
			t.Errorf("draw %v: %q", draw, out.String())
		}
	}
}

// TestRetryIsShown: a line says that a request is made again, and stays.
func TestRetryIsShown(t *testing.T) {
	for _, c := range []struct {
		at   hub.Progress
		want string
	}{
		{hub.Progress{Retry: &hub.Retry{Err: errors.New("EOF"), Try: 2, Tries: 5, Pause: time.Second / 2}}, "the request failed: EOF; trying again in 500ms, try 2 of 5\n"},
		{hub.Progress{File: "a", Retry: &hub.Retry{Err: errors.New("cut\x1b[2J"), Try: 1, Tries: 5}}, "a failed: cut\\u001b[2J; trying again now\n"},
	} {
		for _, draw := range []bool{false, true} {
			var out bytes.Buffer
			now := time.Unix(0, 0)
			p := &pulling{w: &out, draw: draw, now: func() time.Time { return now }}
			p.observe(hub.Progress{File: "a", Done: 1, Total: 2})
			out.Reset()
			p.observe(c.at)
			p.observe(c.at) // at the same moment: no second line
			want := c.want
			if draw {
				want = "\n" + want
			}
			if out.String() != want {
				t.Errorf("draw %v: %q, want %q", draw, out.String(), want)
			}
		}
	}
}
