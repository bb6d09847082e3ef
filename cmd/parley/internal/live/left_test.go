package live

import (
	"strings"
	"testing"
	"time"

	"parley/internal/terminal"
	"parley/train"

	tea "charm.land/bubbletea/v2"
)

// TestRemaining: half and double of what is likely stand beside it, in as few digits as they deserve.
func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		left, total time.Duration
		want        string
	}{
		{0, 0, ""},
		{40 * time.Second, 0, "40s left (20s to 1m20s)"},
		{40 * time.Second, 40 * time.Second, "40s left (20s to 1m20s)"},
		{0, 3 * time.Minute, "3m0s left in all (1m30s to 6m0s)"},
		{62*time.Minute + 3*time.Second, 0, "1h2m3s left (31m to 2h4m)"},
		{40 * time.Hour, 41 * time.Hour, "40h0m0s left (20h0m to 80h), 41h0m0s left in all (20h30m to 82h)"},
	} {
		if got := remaining(train.Event{Left: c.left, TotalLeft: c.total}); got != c.want {
			t.Errorf("%v, %v: %q, want %q", c.left, c.total, got, c.want)
		}
	}
}

// TestBoardRemaining: behind the bar stands as much of it as a terminal has columns for: the margin goes first, then the whole run.
func TestBoardRemaining(t *testing.T) {
	e := train.Event{Kind: train.Updated, Phase: "single agent", Update: 12, Updates: 100, Left: time.Hour, TotalLeft: 3 * time.Hour}
	for columns, want := range map[int]string{
		110: "1h0m0s left (30m to 2h0m), 3h0m0s left in all (1h30m to 6h0m)",
		84:  "1h0m0s left (30m to 2h0m), 3h0m0s left in all",
		74:  "1h0m0s left, 3h0m0s left in all",
		50:  "1h0m0s left",
		20:  "",
	} {
		var m tea.Model = board{columns: columns, rows: 24}
		m, _ = m.Update(e)
		line, _, _ := strings.Cut(m.(board).text(), "\n")
		line = strings.NewReplacer("\x1b[32m", "", "\x1b[m", "").Replace(line)
		_, after, _ := strings.Cut(line, "░  ")
		if terminal.Width(line) > max(columns, 26) || strings.TrimSpace(after) != want {
			t.Errorf("%d columns: %q of %d, want %q behind the bar", columns, line, terminal.Width(line), want)
		}
	}
	// A team's bar at the usual size has the margin.
	var m tea.Model = board{columns: 80, rows: 24}
	m, _ = m.Update(train.Event{Kind: train.Updated, Phase: "team", Update: 2, Updates: 40, Left: 7 * time.Minute, TotalLeft: 9 * time.Minute})
	if got := m.(board).text(); !strings.Contains(got, "7m0s left (3m30s to 14m0s), 9m0s left in all") {
		t.Errorf("%q", got)
	}
}
