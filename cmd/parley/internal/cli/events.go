package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley/internal/service"
	"parley/internal/service/web"
	"parley/internal/terminal"
	"parley/recipe"
	"parley/train"
)

// Events is the flag for a program that starts parley and wants to know how far it is.
type Events struct {
	Events string `placeholder:"FILE" help:"Write what goes on into FILE as JSON lines, or, as fd:N, to a file descriptor that the starting program has opened. When its reader has gone, the work ends as at ^C."`
}

// While does some work whose progress the flag's file gets. The last two lines are of its end: the error, if there is one, and its exit code.
func (e Events) While(a *App, do func(*App) error) (err error) {
	a, stop := a.Hosted()
	defer stop()
	if e.Events == "" {
		return do(a)
	}
	file, err := e.open()
	if err != nil {
		return Usagef("--events: %v", err)
	}
	defer file.Close()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // writing returns an error instead
	told := *a
	w := &eventLog{file: file, now: time.Now}
	told.Ctx, w.unread = context.WithCancel(a.Ctx)
	defer w.unread()
	told.Progress = w.Tell
	ended := false
	defer func() {
		if !ended { // it panics
			w.end(errors.New("internal error, which is a mistake in parley"))
		}
	}()
	err = do(&told)
	ended = true
	w.end(err)
	return err
}

// Hosted is the app of a verb that reads nothing from stdin. Where a program started parley that answers calls of it, the end of stdin is that program's,
// and ends the verb as SIGTERM does.
func (a *App) Hosted() (*App, context.CancelFunc) {
	ctx, cancel := context.WithCancel(a.Ctx)
	if in, file := a.Stdin.(*os.File); !web.Hosted() || file && terminal.Is(in) {
		return a, cancel
	}
	go func() {
		_, _ = io.Copy(io.Discard, a.Stdin) // however it ends
		cancel()
	}()
	hosted := *a
	hosted.Ctx = ctx
	return &hosted, cancel
}

// open opens what the flag names.
func (e Events) open() (*os.File, error) {
	digits, descriptor := strings.CutPrefix(e.Events, "fd:")
	if !descriptor {
		return os.OpenFile(e.Events, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 3 {
		return nil, errors.New(e.Events + " names no descriptor: write fd: and a number from 3 on, such as fd:3")
	}
	file := os.NewFile(uintptr(n), e.Events)
	if file == nil {
		return nil, errors.New(e.Events + " is no descriptor")
	}
	if _, err := file.Write(nil); err != nil { // one of the runtime's own takes nothing
		return nil, errors.New(e.Events + " is not open for writing: the program that starts parley opens it")
	}
	service.KeepFromChildren(uintptr(n)) // the reader would not see the end while one of them lives
	return file, nil
}

// An eventLog writes events, each as one line.
type eventLog struct {
	file   *os.File
	now    func() time.Time
	worked time.Time // when the last line about work was written
	run    string    // the folder of the run that was started, and not one within
	unread context.CancelFunc
}

// An eventLine is an event as others read it. Fields are only added.
type eventLine struct {
	Event     string         `json:"event"`
	Run       string         `json:"run,omitempty"` // absolute folder
	Of        string         `json:"of,omitempty"`  // the folder of the experiment, or of the study, that the run is one of
	Name      string         `json:"name,omitempty"`
	Text      string         `json:"text,omitempty"`
	Phase     string         `json:"phase,omitempty"`
	System    string         `json:"system,omitempty"`
	Metric    string         `json:"metric,omitempty"`
	Score     *float64       `json:"score,omitempty"`
	What      string         `json:"what,omitempty"`
	Done      *int           `json:"done,omitempty"`
	All       *int           `json:"all,omitempty"`
	Update    int            `json:"update,omitempty"`
	Updates   int            `json:"updates,omitempty"`
	Metrics   *train.Metrics `json:"metrics,omitempty"`
	Timing    *train.Timing  `json:"timing,omitempty"`
	Left      float64        `json:"left_seconds,omitempty"`
	TotalLeft float64        `json:"total_left_seconds,omitempty"`
	Code      *int           `json:"code,omitempty"`
	Errors    []recipe.Error `json:"errors,omitempty"`
	Line      string         `json:"line,omitempty"` // how a log says it
}

// betweenWork is the least time between two lines about work that goes on.
const betweenWork = 250 * time.Millisecond

// Tell writes an event of a run.
func (w *eventLog) Tell(e train.Event) {
	line := eventLine{Event: string(e.Kind), Line: e.Line, TotalLeft: e.TotalLeft.Seconds()}
	switch e.Kind {
	case train.Started:
		line.Run, line.Of, line.Name, line.Updates = absolute(e.Dir), absolute(e.Of), e.Message, e.Updates
		if e.Of == "" {
			w.run = line.Run
		}
	case train.Note, train.Warning:
		line.Text, line.Phase = e.Message, e.Phase
	case train.Measuring:
		line.System = e.System
	case train.Measured:
		line.System, line.Metric, line.Score = e.System, e.Metric, &e.Score
	case train.Working:
		if e.Done < e.All && w.now().Sub(w.worked) < betweenWork {
			return
		}
		w.worked = w.now()
		line.Phase, line.System, line.What, line.Done, line.All = e.Phase, e.System, e.Message, &e.Done, &e.All
		if e.All == 0 {
			line.All = nil // nobody knows it
		}
	case train.Updated:
		line.Event = "update"
		line.Phase, line.Update, line.Updates, line.Metrics, line.Timing, line.Left = e.Phase, e.Update, e.Updates, e.Metrics, e.Timing, e.Left.Seconds()
	default:
		return
	}
	w.write(line)
}

// end writes how the work has ended.
func (w *eventLog) end(err error) {
	code := exitCode(err)
	if err != nil {
		line := eventLine{Event: "error", Run: w.run, Code: &code, Text: errorText(err)}
		if list := new(recipe.Errors); errors.As(err, &list) {
			line.Errors = list.List
		}
		w.write(line)
	}
	w.write(eventLine{Event: "end", Run: w.run, Code: &code})
}

// write writes a line. That nobody reads it ends the work; of another error nothing is lost but the line.
func (w *eventLog) write(line eventLine) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line); err != nil {
		return
	}
	if _, err := w.file.Write(b.Bytes()); errors.Is(err, syscall.EPIPE) {
		w.unread()
	}
}

// absolute is a path that means the same in any folder.
func absolute(dir string) string {
	if dir == "" {
		return ""
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return whole
}
