package live

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/table"
	"parley/internal/terminal"
	"parley/train"
)

// live draws the progress of a training on a terminal and keeps it in raw mode until it is closed.
type live struct {
	program *tea.Program
	out     io.Writer
	done    chan struct{}
	last    board // once done is closed
}

// startLive begins to draw. in may be nil; interrupt is called for ^C.
func startLive(in, out *os.File, interrupt context.CancelFunc, elsewhere bool) *live {
	options := []tea.ProgramOption{tea.WithOutput(out), tea.WithoutSignalHandler(), tea.WithInput(nil)}
	if in != nil {
		options = append(options, tea.WithInput(in))
	}
	l := &live{program: tea.NewProgram(board{interrupt: interrupt, elsewhere: elsewhere, columns: 80, rows: 24}, options...), out: out, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		// A view that cannot be drawn must not end a training.
		if last, err := l.program.Run(); err == nil {
			l.last = last.(board)
		}
	}()
	return l
}

func (l *live) observe(e train.Event) { l.program.Send(e) }

func (l *live) close() {
	l.program.Quit()
	<-l.done
	_, hidden := l.last.layout()
	for _, note := range l.last.notes[:hidden] {
		fmt.Fprintln(l.out, terminal.Printable(note))
	}
}

// A board is what stands on the screen: a title, the newest notes, the bar and the figures of the current training, what is going on, and the
// last dialogue as far as there is room.
type board struct {
	interrupt     context.CancelFunc
	columns, rows int // of the terminal
	title         string
	notes         []string
	work          train.Event            // what is going on; its zero value: nothing that is told of
	update        train.Event            // the last update; its zero value: none yet
	panel         *train.Metrics         // of the last update that measured held-out problems; nil: none did
	curves        map[string][][]float64 // of the current training: a name's series, by turn or agent
	stopping      bool
	elsewhere     bool // another process does the work
}

// Init implements [tea.Model].
func (b board) Init() tea.Cmd { return nil }

// Update implements [tea.Model].
func (b board) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	switch m := m.(type) {
	case tea.WindowSizeMsg:
		b.columns, b.rows = m.Width, m.Height
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
	case train.Training:
		b.curves, b.update, b.work, b.panel = map[string][][]float64{}, train.Event{}, e, nil
	case train.Updated:
		b.update = e
		if e.Metrics != nil && b.curves != nil {
			_, rewards := e.Metrics.Rewards()
			b.curves["accuracy"] = extend(b.curves["accuracy"], e.Metrics.Accuracy)
			b.curves["reward"] = extend(b.curves["reward"], rewards)
			b.curves["return"] = extend(b.curves["return"], e.Metrics.Return)
			if p := e.Metrics.Panel; p != nil {
				b.panel, b.curves["held-out"] = e.Metrics, extend(b.curves["held-out"], []float64{p.Score})
			}
		}
	case train.Measuring, train.Working:
		b.work = e
	case train.Note, train.Warning, train.Measured:
		b.notes = append(b.notes[:len(b.notes):len(b.notes)], describe(e))
		if e.Kind == train.Measured {
			b.work = train.Event{}
		}
	}
	return b
}

// extend adds a value to each of several series.
func extend(series [][]float64, values []float64) [][]float64 {
	for len(series) < len(values) {
		series = append(series, nil)
	}
	for i, v := range values {
		series[i] = append(series[i], v)
	}
	return series
}

// View implements [tea.Model].
func (b board) View() tea.View { return tea.NewView(b.text()) }

// green shows text in green: bubbletea leaves the colour out where the terminal has none or NO_COLOR is set.
func green(text string) string { return "\x1b[32m" + text + "\x1b[m" }

const (
	leastDialogue = 4 // rows that a dialogue needs to be shown
	leastBar      = 5 // columns of a bar
)

func (b board) text() string {
	lines, _ := b.layout()
	return strings.Join(lines, "\n") + "\n"
}

// layout is what the screen has room for, and how many of the notes are not among it.
func (b board) layout() (lines []string, hidden int) {
	lines = b.wrap(b.title)
	var below []string
	if b.update.Updates > 0 {
		below = b.progress()
	}
	below = append(below, b.wrap(b.current())...)
	notes, hidden := b.shownNotes(b.rows - 1 - len(lines) - len(below))
	lines = slices.Concat(lines, notes, below)
	if room := b.rows - 1 - len(lines); room >= leastDialogue {
		lines = append(lines, b.dialogue(room)...)
	}
	return lines, hidden
}

// current says what is going on.
func (b board) current() string {
	switch e := b.work; {
	case b.stopping && b.elsewhere:
		return "the run goes on"
	case b.stopping:
		return "stopping; everything up to the last checkpoint is saved"
	case e.Kind == train.Measuring:
		return describe(e) + " …"
	case e.Kind == train.Working:
		return describe(e)
	}
	return ""
}

// wrap breaks a text into lines; none where it is empty.
func (b board) wrap(text string) []string {
	if text == "" {
		return nil
	}
	return terminal.Wrap(terminal.Printable(text), b.columns, "  ")
}

// shownNotes are the newest notes that fit, whole, behind a line that counts the hidden ones before them.
func (b board) shownNotes(rows int) (lines []string, hidden int) {
	for i, note := range slices.Backward(b.notes) {
		wrapped := b.wrap(note)
		if i > 0 && len(wrapped)+len(lines)+1 > rows || len(wrapped)+len(lines) > rows {
			return append([]string{terminal.Cut(fmt.Sprintf("… %d notes before, printed at the end", i+1), b.columns)}, lines...), i + 1
		}
		lines = append(wrapped, lines...)
	}
	return lines, 0
}

// progress is the bar of the current training and the figures of its last update.
func (b board) progress() []string {
	e := b.update
	head := fmt.Sprintf("%s %d/%d ", e.Phase, e.Update, e.Updates)
	tail := b.tail(e, len(head))
	lines := []string{head + bar(e.Update, e.Updates, min(40, b.columns-len(head)-len(tail)-1)) + tail}
	m := e.Metrics
	if m == nil {
		return lines
	}
	if len(m.Accuracy) > 0 {
		lines = append(lines, b.curve("accuracy", turns(m.Accuracy), m.Accuracy)...)
	}
	if len(m.Reward) > 0 {
		names, rewards := m.Rewards()
		lines = append(lines, b.curve("reward", names, rewards)...)
	}
	if returns(m) {
		lines = append(lines, b.curve("return", m.Agents(), m.Return)...)
	}
	if b.panel != nil {
		lines = append(lines, b.withCurve("  held-out  "+measured(b.panel), "held-out")...)
	}
	figures := fmt.Sprintf("  clipped   %.1f %%", 100*m.ClipShare)
	if m.KL != nil {
		figures = fmt.Sprintf("  KL        %.4f   clipped %.1f %%", *m.KL, 100*m.ClipShare)
	}
	if e.Timing != nil {
		figures += fmt.Sprintf("   tokens/s %.0f", e.Timing.TokensPerSecond)
	}
	if lines = append(lines, terminal.Cut(figures, b.columns)); m.FailedEpisodes > 0 {
		lines = append(lines, b.wrap("  failed    "+failed(m))...)
	}
	return lines
}

// tail is what stands behind a bar: as much of what remains as leaves room for one. The margins are worth less than a bar that shows something.
func (b board) tail(e train.Event, head int) string {
	for i, said := range remainders(e) {
		room := leastBar
		if i < 2 {
			room *= 2
		}
		if tail := "  " + said; head+room+len(tail) < b.columns {
			return tail
		}
	}
	return ""
}

// curve is a row of figures by turn or by agent, with the curve of the last of them where there is room.
func (b board) curve(name string, of []string, now []float64) []string {
	return b.withCurve(fmt.Sprintf("  %-9s ", name)+series(of, now), name)
}

// withCurve puts the curve of the last of a name's series behind a row, where there is room.
func (b board) withCurve(line, name string) []string {
	if terminal.Width(line) > b.columns {
		return terminal.Wrap(line, b.columns, "            ")
	}
	if all := b.curves[name]; len(all) > 0 {
		if room := min(b.columns-terminal.Width(line)-3, 30); room >= 5 {
			line += "   " + sparkline(all[len(all)-1], room)
		}
	}
	return []string{line}
}

// dialogue is the first one of the last update, a row for what each agent says.
func (b board) dialogue(rows int) []string {
	x := b.update.Example
	if x == nil {
		return nil
	}
	row := func(who, text string) string {
		return terminal.Cut(who+strings.Join(strings.Fields(terminal.Printable(text)), " "), b.columns)
	}
	lines := []string{"", row("  problem        ", x.Question)}
	for _, a := range x.Lines {
		lines = append(lines, row(fmt.Sprintf("  %s turn %d %s", cmp.Or(a.Name, fmt.Sprintf("agent %d", a.Agent)), a.Turn, mark(a.Correct)), a.Text))
	}
	return lines[:min(rows, len(lines))]
}

func mark(correct bool) string {
	if correct {
		return "✓ "
	}
	return "  "
}

// bar draws done of all in so many columns.
func bar(done, all, columns int) string {
	columns = max(columns, leastBar)
	full := columns * done / max(all, 1)
	return green(strings.Repeat("█", full)) + strings.Repeat("░", columns-full)
}

// sparkline draws a series in at most so many columns, from its least to its greatest value; each column is the mean of its part. What is not
// finite leaves its column blank.
func sparkline(series []float64, columns int) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	columns = min(columns, len(series))
	means := make([]float64, columns)
	least, most := math.Inf(1), math.Inf(-1)
	for i := range means {
		from, to := i*len(series)/columns, (i+1)*len(series)/columns
		sum := 0.0
		for _, v := range series[from:to] {
			sum += v / float64(to-from)
		}
		means[i] = sum
		if !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			least, most = min(least, sum), max(most, sum)
		}
	}
	var b strings.Builder
	for _, v := range means {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			b.WriteByte(' ')
		case most == least:
			b.WriteRune(levels[0])
		default:
			b.WriteRune(levels[int((v-least)/(most-least)*float64(len(levels)-1)+0.5)])
		}
	}
	return b.String()
}

// Panels is the curve of the held-out problems that a training was measured on; empty: it was not.
func Panels(metrics []train.Metrics) string {
	var curve []float64
	var rows []string
	for _, m := range metrics {
		p := m.Panel
		if p == nil {
			continue
		}
		if len(curve) == 0 {
			curve, rows = append(curve, p.Untrained), append(rows, fmt.Sprintf("held-out %s (%d problems): untrained %s", p.Metric, p.Problems+p.Unscored, table.Number(p.Untrained)))
		}
		curve, rows = append(curve, p.Score), append(rows, fmt.Sprintf("after update %d %s", m.Update, table.Number(p.Score)))
	}
	if len(rows) == 0 {
		return ""
	}
	const most = 9 // the first, and the last ones
	if len(rows) > most {
		rows = append([]string{rows[0], "…"}, rows[len(rows)-most+2:]...)
	}
	return strings.Join(rows, ", ") + "  " + sparkline(curve, 30) + "\n"
}
