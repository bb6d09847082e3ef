package download

import (
	"bytes"
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
