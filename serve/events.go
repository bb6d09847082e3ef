package serve

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Events are an answer in server-sent events. Their methods are safe for concurrent use. The first error stays: nothing is written after it.
type Events struct {
	w       http.ResponseWriter
	control *http.ResponseController
	Fail    func(*Failure) error // says what went wrong

	mu   sync.Mutex
	last time.Time
	err  error
	done chan struct{}
}

// NewEvents begins the answer, and says at once that one is coming: a team may work for minutes before its first text. A comment
// says so again whenever nothing was sent for a while.
func NewEvents(w http.ResponseWriter, still time.Duration) *Events {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	e := &Events{w: w, control: http.NewResponseController(w), done: make(chan struct{})}
	e.Fail = func(f *Failure) error { return e.Send(map[string]any{"error": f}) }
	w.WriteHeader(http.StatusOK)
	_ = e.write([]byte(": keep-alive\n\n")) // the first error stays
	go e.remind(still)
	return e
}

func (e *Events) remind(still time.Duration) {
	ticks := time.NewTicker(still / 3)
	defer ticks.Stop()
	for {
		select {
		case <-e.done:
			return
		case <-ticks.C:
			e.mu.Lock()
			silent := time.Since(e.last) >= still
			e.mu.Unlock()
			if silent {
				_ = e.write([]byte(": keep-alive\n\n")) // the first error stays
			}
		}
	}
}

// Send writes one event.
func (e *Events) Send(body any) error { return e.SendNamed("", body) }

// SendNamed writes one event of a type.
func (e *Events) SendNamed(name string, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	return e.write([]byte(name + "data: " + string(data) + "\n\n"))
}

func (e *Events) write(data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return e.err
	}
	e.last = time.Now()
	if _, e.err = e.w.Write(data); e.err == nil {
		e.err = e.control.Flush()
	}
	return e.err
}

// End is said after the last event, after which the answer is whole.
func (e *Events) End() error { return e.write([]byte("data: [DONE]\n\n")) }

// Close ends the reminders.
func (e *Events) Close() { close(e.done) }
