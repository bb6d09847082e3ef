package viewer

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"parley/viewer/show"
)

// mostLive is how many streams of events are served at a time: every page has two at most.
const mostLive = 64

// still is how long a stream is silent before something is written that says nothing.
const still = 15 * time.Second

// A stream writes server-sent events.
type stream struct {
	w    http.ResponseWriter
	last time.Time
}

// open begins a stream, which the caller leaves. The limit on how long an answer is written is for others.
func (s *Server) open(w http.ResponseWriter) (*stream, func(), error) {
	if !s.enterLive() {
		return nil, nil, fail(http.StatusServiceUnavailable, "busy", "%d pages are watched already", mostLive)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // where there is none, there is nothing to lift
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	e := &stream{w: w}
	_ = e.write(": hello\n\n") // one who is gone already is found so at the next event
	return e, s.leaveLive, nil
}

// enterLive counts one more stream, unless there are enough.
func (s *Server) enterLive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live >= mostLive {
		return false
	}
	s.live++
	return true
}

func (s *Server) leaveLive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live--
}

func (e *stream) write(text string) error {
	e.last = time.Now()
	c := http.NewResponseController(e.w)
	_ = c.SetWriteDeadline(time.Now().Add(still)) // one who does not read is let go
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return c.Flush()
}

// send writes an event. JSON has no line breaks.
func (e *stream) send(name string, id int, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	text := "event: " + name + "\n"
	if id > 0 {
		text += "id: " + strconv.Itoa(id) + "\n"
	}
	return e.write(text + "data: " + string(data) + "\n\n")
}

// each looks again and again until look fails or the client is gone.
func (e *stream) each(ctx context.Context, every time.Duration, look func() (more bool, err error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		more, err := look()
		if err == nil && more && time.Since(e.last) > still {
			err = e.write(": still here\n\n")
		}
		if err != nil || !more {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// watchRun tells what changes in one run.
func (s *Server) watchRun(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	row, err := s.root.Row(id)
	if err != nil {
		return err
	}
	seen := row.Updates
	if last, err := strconv.Atoi(r.Header.Get("Last-Event-ID")); err == nil {
		seen = min(last, seen)
	}
	e, leave, err := s.open(w)
	if err != nil {
		return err
	}
	defer leave()
	watched := &watched{s: s, e: e, id: id, seen: seen}
	e.each(r.Context(), s.options.Poll, watched.look)
	return nil
}

// watched is one run that somebody looks at.
type watched struct {
	s        *Server
	e        *stream
	id       string
	seen     int // update
	row      string
	findings string
}

// look sends what is new.
func (w *watched) look() (more bool, err error) {
	row, err := w.s.root.Row(w.id)
	if err != nil {
		return false, w.e.send("gone", 0, map[string]string{"message": failureOf(err).Message})
	}
	if now := textOf(row); now != w.row {
		w.row = now
		if err := w.e.send("run", 0, row); err != nil {
			return false, err
		}
	}
	if row.Updates < w.seen { // it went back to a checkpoint
		w.seen = row.Updates
	}
	if row.Updates > w.seen {
		if err := w.updates(); err != nil {
			return false, err
		}
	}
	return true, w.diagnosis()
}

func (w *watched) updates() error {
	m, err := w.s.root.Metrics(w.id)
	if err != nil {
		return err
	}
	for _, l := range m.Behind(w.seen) {
		if err := w.e.send("metrics", l.Update, l); err != nil {
			return err
		}
		w.seen = l.Update
	}
	return nil
}

func (w *watched) diagnosis() error {
	d, err := w.s.root.Diagnosis(w.id)
	if err != nil {
		return nil //nolint:nilerr // a damaged one is no reason to stop watching
	}
	now := fmt.Sprint(d.Update, len(d.Diagnostics))
	if now == w.findings {
		return nil
	}
	first := w.findings == ""
	w.findings = now
	if first {
		return nil
	}
	return w.e.send("diagnostics", 0, map[string]int{"update": d.Update})
}

// textOf is a row as JSON, to see whether it changed.
func textOf(row show.Row) string {
	data, err := encode(row)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// A listing is the list of runs as it was a moment ago. All who watch it share one: a folder may have thousands of entries.
type listing struct {
	mu   sync.Mutex
	at   time.Time
	rows []show.Row
	text map[string]string // of each row, by its id
}

// lately lists the runs, anew where the last listing is older than a look may be.
func (s *Server) lately() ([]show.Row, map[string]string, error) {
	l := &s.listing
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.at) < s.options.Poll {
		return l.rows, l.text, nil
	}
	rows, err := s.root.Rows()
	if err != nil {
		return nil, nil, err
	}
	l.at, l.rows, l.text = time.Now(), rows, byID(rows)
	return l.rows, l.text, nil
}

// watchRuns tells what changes in the list of runs.
func (s *Server) watchRuns(w http.ResponseWriter, r *http.Request) error {
	_, before, err := s.lately()
	if err != nil {
		return err
	}
	e, leave, err := s.open(w)
	if err != nil {
		return err
	}
	defer leave()
	queue := fmt.Sprint(s.jobs())
	e.each(r.Context(), 2*s.options.Poll, func() (bool, error) {
		rows, now, err := s.lately()
		if err != nil {
			return false, err
		}
		changed, gone := []show.Row{}, []string{}
		for _, row := range rows {
			if before[row.ID] != now[row.ID] {
				changed = append(changed, row)
			}
		}
		for id := range before {
			if _, ok := now[id]; !ok {
				gone = append(gone, id)
			}
		}
		before = now
		if list := s.jobs(); fmt.Sprint(list) != queue {
			queue = fmt.Sprint(list)
			if err := e.send("queue", 0, map[string]any{"jobs": list}); err != nil {
				return false, err
			}
		}
		if len(changed)+len(gone) == 0 {
			return true, nil
		}
		return true, e.send("runs", 0, map[string]any{"changed": changed, "gone": gone})
	})
	return nil
}

func byID(rows []show.Row) map[string]string {
	out := map[string]string{}
	for _, row := range rows {
		out[row.ID] = textOf(row)
	}
	return out
}
