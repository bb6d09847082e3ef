package live

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"

	"parley/cmd/parley/internal/cli"
	"parley/internal/terminal"
	"parley/runs"

	tea "charm.land/bubbletea/v2"

	"parley/rl/learn"
	"parley/rl/rollout/harness"
	"parley/train"
)

// events are those of a small training, as package train sends them.
func events(updates int) []train.Event {
	kl := 0.0123
	list := []train.Event{
		{Kind: train.Started, Dir: "runs/a-s1", Message: "a"},
		{Kind: train.Measuring, System: "off-the-shelf"},
		{Kind: train.Measured, System: "off-the-shelf", Score: 0.41},
		{Kind: train.Note, Message: "the checkpoint of update 2 cannot be used"},
	}
	for u := 1; u <= updates; u++ {
		list = append(list, train.Event{
			Kind: train.Updated, Phase: "team", Update: u, Updates: updates, Left: time.Duration(updates-u) * time.Second,
			Metrics: &train.Metrics{Update: u, Accuracy: []float64{0.5, 0.625}, Reward: []float64{0.4, 0.6}, Stats: learn.Stats{KL: &kl, ClipShare: 0.034}},
			Timing:  &train.Timing{TokensPerSecond: 1234},
		})
	}
	return list
}

// TestProgram: what a team earns in its program is the team's, whoever spoke last, and its answers are counted from the first on.
func TestProgram(t *testing.T) {
	of := func(returns ...float64) *train.Metrics {
		m := &train.Metrics{Update: 1, Names: []string{"solver", "checker"}, Reward: []float64{0, 0.422}}
		m.Return, m.Harness = returns, &harness.Metrics{Calls: map[string]float64{"solver": 1, "checker": 2}}
		return m
	}
	work := func(done int) train.Event {
		return train.Event{Kind: train.Working, System: "off-the-shelf", Message: "answers", Done: done}
	}
	for _, c := range []struct {
		event train.Event
		want  string
	}{
		{train.Event{Kind: train.Updated, Phase: "team", Update: 1, Updates: 9, Metrics: of(0.844, 0.844)}, "team: update 1/9, reward 0.844, clipped 0.0 %\n"},
		{train.Event{Kind: train.Updated, Phase: "team", Update: 1, Updates: 9, Metrics: of(0.8, 0.9)}, "team: update 1/9, reward 0.844, return solver 0.800 checker 0.900, clipped 0.0 %\n"},
		{work(0), ""},
		{work(7), "measuring off-the-shelf, 7 answers\n"},
	} {
		var out bytes.Buffer
		(&plain{w: &out, now: time.Now}).observe(c.event)
		if out.String() != c.want {
			t.Errorf("%q, want %q", out.String(), c.want)
		}
	}
}

// TestPlain checks the lines that are written where there is no terminal: few, complete, and without control characters.
func TestPlain(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	p := &plain{w: &out, now: func() time.Time { clock = clock.Add(time.Second); return clock }, every: 10 * time.Second}
	for _, e := range events(30) {
		p.observe(e)
	}
	p.close()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) < 6 || len(lines) > 12 {
		t.Errorf("%d lines for 30 updates of a second:\n%s", len(lines), out.String())
	}
	want := "team: update 30/30, accuracy turn 1 0.500 turn 2 0.625, reward agent 1 0.400 agent 2 0.600, kl 0.0123, clipped 3.4 %, 1234 tokens/s"
	if last := lines[len(lines)-1]; last != want {
		t.Errorf("last line\n got %s\nwant %s", last, want)
	}
	for _, c := range out.String() {
		if c != '\n' && unicode.IsControl(c) {
			t.Fatalf("control character %q in %q", c, out.String())
		}
	}
}

// TestPlainWithoutRewards: who has no rewards of answers, as a student that is a table, has no figure without a number.
func TestPlainWithoutRewards(t *testing.T) {
	e := train.Event{Kind: train.Updated, Phase: "team", Update: 1, Updates: 2, Metrics: &train.Metrics{}}
	if got, want := describeUpdate(e), "team: update 1/2, clipped 0.0 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBoard checks what the live view shows, and that ^C interrupts the training.
func TestBoard(t *testing.T) {
	interrupted := false
	var m tea.Model = board{interrupt: func() { interrupted = true }, columns: 80, rows: 24}
	for _, e := range events(4)[:6] {
		m, _ = m.Update(e)
	}
	text := m.(board).text()
	for _, want := range []string{"run folder runs/a-s1", "measured off-the-shelf: 0.410", "note: the checkpoint", "team 2/4", "2s left", "turn 2 0.625", "agent 1 0.400", "KL        0.0123", "clipped 3.4 %", "tokens/s 1234"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	m, _ = m.Update(tea.WindowSizeMsg{Width: 30, Height: 10})
	if got := m.(board).text(); strings.Count(got, "░") >= strings.Count(text, "░") {
		t.Errorf("the bar does not fit a narrow terminal:\n%s", got)
	}
	m, _ = m.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
	if !interrupted || !strings.Contains(m.(board).text(), "stopping") {
		t.Errorf("^C: interrupted %v\n%s", interrupted, m.(board).text())
	}
}

func TestBar(t *testing.T) {
	for done, want := range map[int]int{0: 0, 5: 5, 10: 10} {
		if got := strings.Count(bar(done, 10, 10), "█"); got != want {
			t.Errorf("bar of %d/10 has %d full columns", done, got)
		}
	}
	if got := bar(0, 0, -3); strings.Count(got, "░") != 5 {
		t.Errorf("bar without room: %q", got)
	}
}

// TestWatchWithoutTerminal checks that a buffer gets plain lines, and a context that goes on.
func TestWatchWithoutTerminal(t *testing.T) {
	var stderr bytes.Buffer
	a := &cli.App{Ctx: context.Background(), Stderr: &stderr}
	ctx, v := watch(a, false)
	if _, ok := v.(*plain); !ok || ctx.Err() != nil {
		t.Errorf("view %T", v)
	}
	for _, e := range events(1) {
		v.observe(e)
	}
	v.close()
	if !strings.Contains(stderr.String(), "team: update 1/1") {
		t.Errorf("stderr %q", stderr.String())
	}
}

// crowded are the events of a training with long notes, a long dialogue and work that goes on.
func crowded() []train.Event {
	list := events(40)
	for i := range 30 {
		list = append(list, train.Event{Kind: train.Note, Message: fmt.Sprintf("%d of the answers of update %d carry the flag min_tokens, which takes the place of every reward: raise sampling.max_tokens", 20+i, i)})
	}
	last := list[len(list)-31]
	last.Update, last.TotalLeft = 40, time.Minute
	last.Example = &runs.Dialogue{Question: strings.Repeat("How many apples has Tom? ", 20), Lines: []runs.Answer{
		{Turn: 1, Agent: 1, Text: "He has\x1b[2J 7.\n日本語 \\boxed{7}", Correct: true}, {Turn: 1, Agent: 2, Text: strings.Repeat("long ", 100)},
	}}
	return append(list, last, train.Event{Kind: train.Working, Phase: "team", Update: 40, Updates: 50, Message: "turn 1: answers", Done: 3, All: 8})
}

// TestBoardFits: at every size, no line is wider than the terminal, the whole is not higher, and nothing of what a model wrote drives it.
func TestBoardFits(t *testing.T) {
	for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 200, Height: 50}, {Width: 40, Height: 12}, {Width: 20, Height: 24}} {
		var m tea.Model = board{}
		m, _ = m.Update(size)
		for _, e := range append([]train.Event{{Kind: train.Training, Phase: "team"}}, crowded()...) {
			m, _ = m.Update(e)
			text := m.(board).text()
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if len(lines) > size.Height && size.Height >= 24 {
				t.Fatalf("%d rows of %d:\n%s", len(lines), size.Height, text)
			}
			for _, line := range lines {
				line = strings.NewReplacer("\x1b[32m", "", "\x1b[m", "").Replace(line)
				if terminal.Width(line) > size.Width || strings.ContainsRune(line, '\x1b') {
					t.Fatalf("%d columns of %d: %q", terminal.Width(line), size.Width, line)
				}
			}
		}
	}
}

// TestBoardShows: the work that goes on, the whole run's time, the curve and the dialogue stand on a terminal of the usual size, and notes that
// had no room are printed at the end.
func TestBoardShows(t *testing.T) {
	var m tea.Model = board{columns: 80, rows: 24}
	m, _ = m.Update(train.Event{Kind: train.Training, Phase: "team"})
	list := crowded()
	for _, e := range append(list[:3:3], list[len(list)-4:]...) {
		m, _ = m.Update(e)
	}
	text := m.(board).text()
	for _, want := range []string{"in update 41, turn 1: answers 3 of 8", "1m0s left in all", "agent 1 turn 1 ✓ He has\\u001b[2J 7. 日本語", "problem        How many apples"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, e := range list {
		m, _ = m.Update(e)
	}
	b := m.(board)
	if _, hidden := b.layout(); hidden < 10 || !strings.Contains(b.text(), fmt.Sprintf("%d notes before", hidden)) {
		t.Errorf("%d of %d notes are hidden:\n%s", hidden, len(b.notes), b.text())
	}
}

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		series  []float64
		columns int
		want    string
	}{
		{nil, 5, ""},
		{[]float64{1, 1}, 5, "▁▁"},
		{[]float64{0, 1}, 5, "▁█"},
		{[]float64{0, 0, 1, 1}, 2, "▁█"},
		{[]float64{0, math.NaN(), 7, math.Inf(1)}, 9, "▁ █ "},
	} {
		if got := sparkline(c.series, c.columns); got != c.want {
			t.Errorf("%v in %d columns: %q, want %q", c.series, c.columns, got, c.want)
		}
	}
}
