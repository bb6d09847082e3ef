package tinker

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"parley/serve/tinker/checkpoint"
)

// A session is one client.
type session struct {
	id      string
	made    time.Time
	project string
	key     string // of the request that made it
	life    context.Context
	stop    context.CancelFunc

	// Guarded by the server's mutex:
	seen     time.Time
	models   map[int]posted // by the numbers of the requests that made them
	samplers map[int]string
	joined   map[string]int // clients that share a sampler
}

// A posted request is one whose number came.
type posted struct {
	hash    [32]byte
	request string // what it was promised
}

type createSession struct {
	Tags     []string       `json:"tags"`
	Metadata map[string]any `json:"user_metadata"`
	Project  string         `json:"project_id"`
}

// longestMetadata bounds what a client lets the server remember of it, in bytes of JSON.
const longestMetadata = 64 << 10

// checkMetadata refuses more than the server remembers.
func checkMetadata(v ...any) *checkpoint.Fault {
	if data, err := json.Marshal(v); err != nil || len(data) > longestMetadata {
		return checkpoint.Bad("tags and user_metadata are longer than %d bytes", longestMetadata)
	}
	return nil
}

func (s *Server) createSession(r *http.Request) any {
	q, f := read[createSession](s, r)
	if f == nil {
		f = checkMetadata(q.Tags, q.Metadata, q.Project)
	}
	if f != nil {
		return f
	}
	key := r.Header.Get("X-Idempotency-Key")
	s.mu.Lock()
	defer s.mu.Unlock()
	id, again := s.keys[key]
	if !again || key == "" {
		if len(s.sessions) >= mostSessions || s.life.Err() != nil {
			return &checkpoint.Fault{Status: http.StatusTooManyRequests, Words: "there are too many sessions", Later: 5}
		}
		id = s.begin(q, key)
	}
	return map[string]any{
		"type": "create_session", "session_id": id,
		"info_message": "parley trains adapters of attention and MLP; train_unembed has no effect, the head stays the base's",
	}
}

// begin makes a session. s.mu is held.
func (s *Server) begin(q createSession, key string) string {
	now := time.Now()
	c := &session{
		id: "s-" + name(), made: now, seen: now, project: q.Project, key: key,
		models: map[int]posted{}, samplers: map[int]string{}, joined: map[string]int{},
	}
	c.life, c.stop = context.WithCancel(s.life)
	s.sessions[c.id] = c
	if key != "" && len(key) <= 200 {
		s.keys[key] = c.id
	}
	return c.id
}

// session finds one that lives, whose client has just been heard of.
func (s *Server) session(id string) (*session, *checkpoint.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.sessions[id]
	if c == nil {
		return nil, checkpoint.Lost("there is no session %.100q: it ended, or the server was started again", id)
	}
	c.seen = time.Now()
	return c, nil
}

func (s *Server) heartbeat(r *http.Request) any {
	q, f := read[struct {
		Session string `json:"session_id"`
	}](s, r)
	if f != nil {
		return f
	}
	if _, f := s.session(q.Session); f != nil {
		f.Status = http.StatusGone // nobody goes on asking then
		return f
	}
	return map[string]any{"type": "session_heartbeat"}
}

// telemetry is taken and forgotten: nothing of it leaves the machine or stays on it.
func (s *Server) telemetry(r *http.Request) any {
	if _, f := read[struct{}](s, r); f != nil {
		return f
	}
	return map[string]any{"status": "accepted"}
}

// finish ends a session. The first who says so is right; a session that is not there has ended.
func (s *Server) finish(r *http.Request, id string) any {
	if _, f := read[struct{}](s, r); f != nil {
		return f
	}
	s.end(id)
	return nil
}

// end frees what a session has.
func (s *Server) end(id string) {
	s.mu.Lock()
	c := s.sessions[id]
	if c == nil {
		s.mu.Unlock()
		return
	}
	delete(s.sessions, id)
	delete(s.keys, c.key)
	c.stop()
	var models []*trained
	for name, m := range s.models {
		if m.session == c {
			delete(s.models, name)
			models = append(models, m)
		}
	}
	var samplers []*sampler
	for name, p := range s.samplers {
		if p.session == c {
			delete(s.samplers, name)
			samplers = append(samplers, p)
		}
	}
	s.mu.Unlock()
	for _, m := range models {
		s.drop(m)
	}
	for _, p := range samplers {
		s.forget(p)
	}
}

// expire ends the sessions whose clients have been silent for long.
func (s *Server) expire(now time.Time) {
	s.mu.Lock()
	var silent []string
	for id, c := range s.sessions {
		if now.Sub(c.seen) > s.options.Silence {
			silent = append(silent, id)
		}
	}
	s.mu.Unlock()
	for _, id := range silent {
		s.end(id)
	}
}
