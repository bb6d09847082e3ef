package tinker

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"parley/serve/tinker/checkpoint"
)

// owner is whose everything is: a server has one user.
const owner = "local"

// page cuts a list as its request asks.
func page[T any](r *http.Request, all []T, usual int) ([]T, map[string]int) {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil && n >= 0 {
			return n
		}
		return otherwise
	}
	limit, offset := number("limit", usual), number("offset", 0)
	from := min(offset, len(all))
	return all[from : from+min(limit, len(all)-from)], map[string]int{"offset": offset, "limit": limit, "total_count": len(all)}
}

func (s *Server) listRuns(r *http.Request) any {
	all, err := s.store.Runs()
	if err != nil {
		return &fault{status: http.StatusInternalServerError, words: err.Error()}
	}
	part, cursor := page(r, all, 20)
	runs := []any{}
	for _, run := range part {
		runs = append(runs, s.describeRun(run))
	}
	return map[string]any{"training_runs": runs, "cursor": cursor}
}

func (s *Server) getRun(id string) any {
	run, err := s.store.Run(id)
	if err != nil {
		return lost("%v", err)
	}
	return s.describeRun(run)
}

func (s *Server) describeRun(run checkpoint.Run) any {
	last := run.Made
	s.mu.Lock()
	if m := s.models[run.ID]; m != nil {
		last = m.used.UTC()
	}
	s.mu.Unlock()
	out := map[string]any{
		"training_run_id": run.ID, "base_model": run.Base, "model_owner": owner, "is_lora": true, "corrupted": false, "lora_rank": run.Rank,
		"last_request_time": last.Format(time.RFC3339),
	}
	if run.Metadata != nil {
		out["user_metadata"] = run.Metadata
	}
	for _, a := range s.store.Of(run.ID) {
		switch a.Kind {
		case checkpoint.Training:
			out["last_checkpoint"] = describe(a)
		case checkpoint.Sampler:
			out["last_sampler_checkpoint"] = describe(a)
		}
	}
	return out
}

// describe is a checkpoint as lists have it.
func describe(a checkpoint.About) any {
	kinds := map[string]string{checkpoint.Training: "training", checkpoint.Sampler: "sampler", checkpoint.External: "external"}
	out := map[string]any{
		"checkpoint_id": a.ID(), "checkpoint_type": kinds[a.Kind], "time": a.Made.Format(time.RFC3339), "tinker_path": a.Path(), "size_bytes": a.Size, "public": a.Public,
	}
	if a.Expires != nil {
		out["expires_at"] = a.Expires.Format(time.RFC3339)
	}
	return out
}

func (s *Server) listCheckpoints(run string) any {
	if _, err := s.store.Run(run); err != nil {
		return lost("%v", err)
	}
	return map[string]any{"checkpoints": describeAll(s.store.Of(run))}
}

func describeAll(all []checkpoint.About) []any {
	out := []any{}
	for _, a := range all {
		out = append(out, describe(a))
	}
	return out
}

func (s *Server) listAllCheckpoints(r *http.Request) any {
	runs, err := s.store.Runs()
	if err != nil {
		return &fault{status: http.StatusInternalServerError, words: err.Error()}
	}
	var all []checkpoint.About
	for _, run := range runs {
		all = append(all, s.store.Of(run.ID)...)
	}
	part, cursor := page(r, all, 100)
	return map[string]any{"checkpoints": describeAll(part), "cursor": cursor}
}

// change does something to a checkpoint that is there.
func (s *Server) change(run, kind, name string, change func(*checkpoint.About)) any {
	if err := s.store.Change(run, kind, name, change); err != nil {
		return lost("%v", err)
	}
	return nil
}

func (s *Server) setTTL(r *http.Request, run, kind, name string) any {
	q, f := read[struct {
		TTL *int64 `json:"ttl_seconds"`
	}](s, r)
	if f != nil {
		return f
	}
	var ends *time.Time
	if q.TTL != nil {
		if *q.TTL < 1 || *q.TTL > longestTTL {
			return bad("ttl_seconds is %d, expected 1 or more, or nothing", *q.TTL)
		}
		until := time.Now().UTC().Add(time.Duration(*q.TTL) * time.Second)
		ends = &until
	}
	return s.change(run, kind, name, func(a *checkpoint.About) { a.Expires = ends })
}

func (s *Server) deleteCheckpoint(run, kind, name string) any {
	if err := s.store.Delete(run, kind, name); err != nil {
		return lost("%v", err)
	}
	return nil
}

func (s *Server) weightsInfo(r *http.Request) any {
	q, f := read[struct {
		Path string `json:"tinker_path"`
	}](s, r)
	if f != nil {
		return f
	}
	a, _, err := s.find(q.Path)
	if err != nil {
		return lost("%v", err)
	}
	return map[string]any{"base_model": a.Base, "is_lora": true, "lora_rank": a.Rank, "train_unembed": false, "train_mlp": a.MLP, "train_attn": a.Attn}
}

func (s *Server) listSessions(r *http.Request) any {
	part, _ := page(r, s.sessionIDs(), 20)
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
		return lost("there is no session %.100q", id)
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
			out = append(out, map[string]any{"session_id": id, "created_at": c.made.UTC().Format(time.RFC3339), "owner": owner, "project_id": c.project, "checkpoints_count": 0})
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
