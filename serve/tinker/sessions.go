package tinker

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"parley/serve/tinker/checkpoint"
)

func (s *Server) listSessions(r *http.Request) any {
	part, _ := checkpoint.Page(r, s.sessionIDs(), 20)
	return map[string]any{"sessions": part}
}

func (s *Server) sessionIDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.sessions))
}

func (s *Server) getSession(id string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.sessions[id]
	if c == nil {
		return checkpoint.Lost("there is no session %.100q", id)
	}
	runs, samplers := []string{}, []string{}
	for name, m := range s.models {
		if m.session == c {
			runs = append(runs, name)
		}
	}
	for name, p := range s.samplers {
		if p.session == c {
			samplers = append(samplers, name)
		}
	}
	slices.Sort(runs)
	slices.Sort(samplers)
	return map[string]any{"training_run_ids": runs, "sampler_ids": samplers}
}

// searchSessions finds sessions that live, by their name.
func (s *Server) searchSessions(r *http.Request) any {
	q, f := read[struct {
		Session string `json:"session_id"`
	}](s, r)
	if f != nil {
		return f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
		if q.Session == "" || q.Session == id {
			c := s.sessions[id]
			out = append(out, map[string]any{"session_id": id, "created_at": c.made.UTC().Format(time.RFC3339), "owner": checkpoint.Owner, "project_id": c.project, "checkpoints_count": 0})
		}
	}
	return map[string]any{"sessions": out, "next_cursor": nil}
}

func (s *Server) setProject(r *http.Request, id string) any {
	q, f := read[struct {
		Project string `json:"project_id"`
	}](s, r)
	if f == nil {
		f = checkMetadata(q.Project)
	}
	if f != nil {
		return f
	}
	c, f := s.session(id)
	if f != nil {
		return f
	}
	s.mu.Lock()
	c.project = q.Project
	s.mu.Unlock()
	return nil
}
