package tinker

import (
	"net/http"
	"strings"
	"time"

	"parley/serve/tinker/checkpoint"
)

// retrieve answers a question about a result: the result, that it failed, or that it is not there yet. Failures are no faults: clients repeat
// questions that fail with the server's own statuses for ever.
func (s *Server) retrieve(w http.ResponseWriter, r *http.Request) {
	q, f := read[struct {
		Request string `json:"request_id"`
	}](s, r)
	if f != nil {
		checkpoint.Write(w, f)
		return
	}
	p, was := s.promises.Find(q.Request)
	switch {
	case was:
		checkpoint.Write(w, &checkpoint.Fault{Status: http.StatusGone, Words: "the result was given up, or the server was started again"})
		return
	case p == nil:
		checkpoint.Write(w, checkpoint.Lost("there is no request %.100q", q.Request))
		return
	}
	if !p.Wait(r.Context(), s.hold()) {
		checkpoint.Send(w, http.StatusRequestTimeout, "application/json", []byte(`{"type":"try_again","request_id":"`+p.ID+`","queue_state":"active"}`))
		return
	}
	result, failure := p.Outcome()
	if failure != nil {
		checkpoint.Write(w, map[string]string{"error": failure.Words, "category": failure.Category})
		return
	}
	if strings.Contains(r.Header.Get("Accept"), proto) {
		if data := result.Proto(); data != nil {
			checkpoint.Send(w, http.StatusOK, proto, data)
			return
		}
	}
	data, err := result.JSON()
	if err != nil {
		checkpoint.Write(w, map[string]string{"error": err.Error(), "category": "server"})
		return
	}
	checkpoint.Send(w, http.StatusOK, "application/json", data)
}

// hold is how long a question is held: not at all once the server ends.
func (s *Server) hold() time.Duration {
	if s.life.Err() != nil {
		return 0
	}
	return s.options.Hold
}

func (s *Server) cancel(r *http.Request) any {
	q, f := read[struct {
		Request string `json:"request_id"`
	}](s, r)
	if f != nil {
		return f
	}
	if p, _ := s.promises.Find(q.Request); p != nil {
		p.Cancel()
	}
	return nil
}
