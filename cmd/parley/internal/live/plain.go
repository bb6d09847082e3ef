// Package live shows the progress of a training on stderr while it goes on.
//
//	follow.go   … and that of a run of another process; work of package train with its progress on stderr
//	plain.go    lines now and then, where there is no terminal
//	left.go     how long a training still takes
//	board.go    the live view on a terminal
//	download.go models and data sets on their way from the Hugging Face Hub
package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/internal/table"
	"parley/internal/terminal"
	"parley/train"
)

// A view shows the progress of a training on stderr.
type view interface {
	observe(train.Event)
	close() // gives the terminal back; nothing is shown afterwards
}

// watch returns the view that fits stderr: live on a terminal, plain lines elsewhere. The context ends with the program's. It also ends when
// the live view sees ^C, which a terminal in raw mode does not turn into a signal, and when the reader of the lines has gone. elsewhere says
// that another process does the work, which goes on then.
func watch(a *cli.App, elsewhere bool) (context.Context, view) {
	ctx, cancel := context.WithCancel(a.Ctx)
	out, ok := a.Stderr.(*os.File)
	if !ok || !Drawable(out) {
		return ctx, &plain{w: a.Stderr, now: time.Now, every: 10 * time.Second, unread: cancel}
	}
	in, _ := a.Stdin.(*os.File)
	if in != nil && !terminal.Is(in) {
		in = nil
	}
	return ctx, startLive(in, out, cancel, elsewhere)
}

// Drawable says whether f is a terminal with cursor movement and with a size.
func Drawable(f *os.File) bool {
	columns, lines, err := terminal.Size(f)
	return err == nil && columns > 0 && lines > 0 && os.Getenv("TERM") != "dumb"
}

// plain writes a line now and then, without control characters.
type plain struct {
	w     io.Writer
	now   func() time.Time
	every time.Duration // between lines about updates and work; the last update always has one
	last  time.Time

	unread context.CancelFunc // called when the reader has gone
}

func (p *plain) observe(e train.Event) {
	if e.Kind == train.Updated || e.Kind == train.Working {
		if e.Kind == train.Working && e.Done+e.All == 0 {
			return // nobody knows how much there will be
		}
		if (e.Kind == train.Working || e.Update < e.Updates) && p.now().Sub(p.last) < p.every {
			return
		}
		p.last = p.now()
	}
	if line := describe(e); line != "" {
		if _, err := fmt.Fprintln(p.w, terminal.Printable(line)); errors.Is(err, syscall.EPIPE) {
			p.unread()
		}
	}
}

func (p *plain) close() {}

// describe says in one line what an event reports.
func describe(e train.Event) string {
	switch e.Kind {
	case train.Started:
		return fmt.Sprintf("%s: run folder %s", e.Message, e.Dir)
	case train.Note:
		return "note: " + e.Message
	case train.Warning:
		return "warning: " + e.Message
	case train.Measuring:
		return "measuring " + e.System
	case train.Measured:
		return fmt.Sprintf("measured %s: %s", e.System, strings.TrimSpace(e.Metric+" "+table.Number(e.Score)))
	case train.Updated:
		return describeUpdate(e)
	case train.Working:
		return describeWork(e)
	}
	return ""
}

// describeWork says how far the work within an update or a measurement is.
func describeWork(e train.Event) string {
	where := "measuring " + e.System
	if e.Phase != "" {
		where = fmt.Sprintf("%s: in update %d", e.Phase, e.Update+1)
	}
	line := fmt.Sprintf("%s, %s %d of %d", where, e.Message, e.Done, e.All)
	if e.All == 0 {
		line = fmt.Sprintf("%s, %d %s", where, e.Done, e.Message)
	}
	if left := remaining(e); left != "" {
		line += ", " + left
	}
	return line
}

func describeUpdate(e train.Event) string {
	parts := []string{fmt.Sprintf("%s: update %d/%d", e.Phase, e.Update, e.Updates)}
	if m := e.Metrics; m != nil {
		if len(m.Accuracy) > 0 {
			parts = append(parts, "accuracy "+series(turns(m.Accuracy), m.Accuracy))
		}
		if len(m.Reward) > 0 {
			parts = append(parts, "reward "+series(m.Rewards()))
		}
		if len(m.OwnReward) > 0 {
			parts = append(parts, "own reward "+series(m.Agents(), m.OwnReward))
		}
		if returns(m) {
			parts = append(parts, "return "+series(m.Agents(), m.Return))
		}
		if m.Panel != nil {
			parts = append(parts, "held-out "+measured(m))
		}
		if m.KL != nil {
			parts = append(parts, fmt.Sprintf("kl %.4f", *m.KL))
		}
		parts = append(parts, fmt.Sprintf("clipped %.1f %%", 100*m.ClipShare))
		if m.FailedEpisodes > 0 {
			parts = append(parts, failed(m))
		}
	}
	if e.Timing != nil {
		parts = append(parts, fmt.Sprintf("%.0f tokens/s", e.Timing.TokensPerSecond))
	}
	if left := remaining(e); left != "" {
		parts = append(parts, left)
	}
	return strings.Join(parts, ", ")
}

// measured says how the team does on its panel.
func measured(m *train.Metrics) string {
	return fmt.Sprintf("%s %s (untrained %s)", m.Panel.Metric, table.Number(m.Panel.Score), table.Number(m.Panel.Untrained))
}

// failed says from how many problems nothing is learned, and from how many episodes where those of a problem fail one by one.
func failed(m *train.Metrics) string {
	problems := fmt.Sprintf("%d of %d problems", m.Failed, m.Failed+m.Problems)
	if m.FailedEpisodes > m.Failed {
		return fmt.Sprintf("%d episodes not scored, with all of %s", m.FailedEpisodes, problems)
	}
	return problems + " not scored"
}

// turns are what the turns of numbers are called.
func turns(x []float64) []string {
	out := make([]string, len(x))
	for i := range out {
		out[i] = fmt.Sprintf("turn %d", i+1)
	}
	return out
}

// returns says that returns are worth a word beside the rewards: one of them reads otherwise.
func returns(m *train.Metrics) bool {
	if len(m.Return) == 0 || slices.Equal(m.Return, m.Reward) {
		return false
	}
	_, rewards := m.Rewards()
	return len(rewards) > 1 || slices.ContainsFunc(m.Return, func(x float64) bool { return table.Number(x) != table.Number(rewards[0]) })
}

// series names numbers by turn or by agent: "turn 1 0.500 turn 2 0.625".
func series(names []string, x []float64) string {
	parts := make([]string, len(x))
	for i, v := range x {
		parts[i] = strings.TrimSpace(names[i] + " " + table.Number(v))
	}
	return strings.Join(parts, " ")
}
