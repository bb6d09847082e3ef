package live

import (
	"context"
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/train"
)

// live draws the progress of a training on a terminal and keeps it in raw mode until it is closed.
type live struct {
	program *tea.Program
	done    chan struct{}
}

// startLive begins to draw. in may be nil; interrupt is called for ^C.
func startLive(in, out *os.File, interrupt context.CancelFunc) *live {
	options := []tea.ProgramOption{tea.WithOutput(out), tea.WithoutSignalHandler(), tea.WithInput(nil)}
	if in != nil {
		options = append(options, tea.WithInput(in))
	}
	l := &live{program: tea.NewProgram(board{interrupt: interrupt, width: 80}, options...), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		// A view that cannot be drawn must not end a training.
		_, _ = l.program.Run()
	}()
	return l
}

func (l *live) observe(e train.Event) { l.program.Send(e) }

func (l *live) close() {
	l.program.Quit()
	<-l.done
}

// A board is what stands on the screen.
type board struct {
	interrupt context.CancelFunc
	width     int // of the terminal, in columns
	title     string
	notes     []string
	doing     string      // what is going on beside updates
	update    train.Event // the last update; its zero value: none yet
	stopping  bool
}

// Init implements [tea.Model].
func (b board) Init() tea.Cmd { return nil }

// Update implements [tea.Model].
func (b board) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	switch m := m.(type) {
	case tea.WindowSizeMsg:
		b.width = m.Width
	case tea.KeyPressMsg:
		if m.String() == "ctrl+c" {
			b.stopping = true
			b.interrupt()
		}
	case train.Event:
		b = b.event(m)
	}
	return b, nil
}

func (b board) event(e train.Event) board {
	switch e.Kind {
	case train.Started:
		b.title = describe(e)
	case train.Updated:
		b.update, b.doing = e, ""
	case train.Measuring:
		b.doing = describe(e) + " …"
	case train.Note, train.Measured:
		b.notes, b.doing = append(b.notes[:len(b.notes):len(b.notes)], describe(e)), ""
	}
	return b
}

// View implements [tea.Model].
func (b board) View() tea.View { return tea.NewView(b.text()) }

// green shows text in green: bubbletea leaves the colour out where the terminal has none or NO_COLOR is set.
func green(text string) string { return "\x1b[32m" + text + "\x1b[m" }

func (b board) text() string {
	var lines []string
	if b.title != "" {
		lines = append(lines, b.title)
	}
	lines = append(lines, b.notes...)
	if b.update.Updates > 0 {
		lines = append(lines, b.progress()...)
	}
	switch {
	case b.stopping:
		lines = append(lines, "stopping; everything up to the last checkpoint is saved")
	case b.doing != "":
		lines = append(lines, b.doing)
	}
	return strings.Join(lines, "\n") + "\n"
}

// progress is the bar of the current training and the figures of its last update.
func (b board) progress() []string {
	e := b.update
	head := fmt.Sprintf("%s %d/%d ", e.Phase, e.Update, e.Updates)
	tail := "  " + remaining(e.Left)
	lines := []string{head + bar(e.Update, e.Updates, min(40, b.width-len(head)-len(tail)-1)) + tail}
	m := e.Metrics
	if m == nil {
		return lines
	}
	if len(m.Accuracy) > 0 {
		lines = append(lines, "  accuracy  "+series("turn", m.Accuracy))
	}
	lines = append(lines, "  reward    "+series("agent", m.Reward))
	figures := fmt.Sprintf("  clipped   %.1f %%", 100*m.ClipShare)
	if m.KL != nil {
		figures = fmt.Sprintf("  KL        %.4f   clipped %.1f %%", *m.KL, 100*m.ClipShare)
	}
	if e.Timing != nil {
		figures += fmt.Sprintf("   tokens/s %.0f", e.Timing.TokensPerSecond)
	}
	return append(lines, figures)
}

// bar draws done of all in so many columns.
func bar(done, all, columns int) string {
	columns = max(columns, 5)
	full := columns * done / max(all, 1)
	return green(strings.Repeat("█", full)) + strings.Repeat("░", columns-full)
}
