package tinker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"parley/engine"
	"parley/serve/tinker/checkpoint"
)

// A sampler is what a client samples from: the base, or an adapter that was saved.
type sampler struct {
	id      string
	session *session // nil: of one request
	dir     string   // of the adapter; empty: the base
	key     string   // of what is in it: a folder, at a time
	path    string   // of the protocol; empty: it has none
	passing bool     // the folder goes with the session
}

// loaded are the adapters that are sampled from and in memory.
type loaded struct {
	all  map[string]*weights
	made int
}

// weights are one of them.
type weights struct {
	policy engine.Policy
	users  int
	used   time.Time
}

const (
	mostSampler  = 1 << 24 // the number of one, which counts up as long as its session lives
	mostSamplers = 1 << 16 // of a session, at a time
)

type createSampler struct {
	Session string `json:"session_id"`
	Seq     *int   `json:"sampling_session_seq_id"`
	Base    string `json:"base_model"`
	Path    string `json:"model_path"`
}

func (s *Server) createSampler(r *http.Request) any {
	q, f := read[createSampler](s, r)
	if f != nil {
		return f
	}
	c, f := s.session(q.Session)
	if f != nil {
		return f
	}
	if q.Seq == nil || *q.Seq < 0 || *q.Seq > mostSampler {
		return checkpoint.Bad("sampling_session_seq_id is missing, or below 0")
	}
	p, err := s.samplerOf(q.Base, q.Path)
	if err != nil {
		return checkpoint.Bad("%v", err)
	}
	p.id, p.session = fmt.Sprintf("%s:sample:%d", c.id, *q.Seq), c
	if err := s.addSampler(c, *q.Seq, p); err != nil {
		return checkpoint.Bad("%v", err)
	}
	return map[string]any{"type": "create_sampling_session", "sampling_session_id": p.id}
}

// samplerOf is one of the base, or of a checkpoint.
func (s *Server) samplerOf(base, path string) (*sampler, error) {
	if base != "" && base != s.base.Name {
		return nil, wrong("base_model is %.100q; the server has %s", base, s.base.Name)
	}
	if path == "" {
		return &sampler{}, nil
	}
	a, dir, err := s.find(path)
	if err != nil {
		return nil, err
	}
	return &sampler{dir: dir, key: dir + " " + a.Made.String(), path: path}, nil
}

// addSampler gives a sampler its number in a session. The same one again is no error.
func (s *Server) addSampler(c *session, seq int, p *sampler) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[c.id] != c {
		return errors.New("the session has ended")
	}
	switch known, taken := c.samplers[seq]; {
	case taken && known != p.key:
		return fmt.Errorf("sampling_session_seq_id %d is another sampler of the session", seq)
	case !taken && len(c.samplers) >= mostSamplers:
		return fmt.Errorf("the session has %d samplers: begin another", mostSamplers)
	}
	c.samplers[seq] = p.key
	s.samplers[p.id] = p
	return nil
}

// forget gives back what a sampler alone has.
func (s *Server) forget(p *sampler) {
	if !p.passing {
		return
	}
	_ = s.alone(context.Background(), "", func() error { // its session has ended: who still samples from it is told so
		s.mu.Lock()
		w := s.loaded.all[p.key]
		delete(s.loaded.all, p.key)
		s.mu.Unlock()
		if w == nil {
			return nil
		}
		return s.engine.Drop(w.policy)
	})
	s.store.Forget(p.dir)
}

// use gives the policy of a sampler, in memory until done is called.
func (s *Server) use(ctx context.Context, client string, p *sampler) (policy engine.Policy, done func(), err error) {
	if p.dir == "" {
		return engine.Base, func() {}, nil
	}
	if w := s.inMemory(p); w != nil {
		return w.policy, func() { s.unused(w) }, nil
	}
	var w *weights
	err = s.alone(ctx, client, func() (err error) {
		if w = s.inMemory(p); w == nil { // nobody else loaded it meanwhile
			w, err = s.bring(ctx, p)
		}
		return err
	})
	if err != nil {
		return "", nil, err
	}
	return w.policy, func() { s.unused(w) }, nil
}

// inMemory is what a sampler has in memory, used by one more; nil: nothing.
func (s *Server) inMemory(p *sampler) *weights {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.loaded.all[p.key]
	if w != nil {
		w.users++
		w.used = time.Now()
	}
	return w
}

func (s *Server) unused(w *weights) {
	s.mu.Lock()
	w.users--
	s.mu.Unlock()
}

// bring loads the weights of a sampler, and drops those that were not used for longest where there are too many. The engine is the caller's alone.
func (s *Server) bring(ctx context.Context, p *sampler) (*weights, error) {
	for w := s.oldest(); w != nil; w = s.oldest() {
		if err := s.engine.Drop(w.policy); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	s.loaded.made++
	w := &weights{policy: engine.Policy(fmt.Sprint("sample ", s.loaded.made)), users: 1, used: time.Now()}
	s.mu.Unlock()
	if err := s.store.Load(p.dir, false, func(dir string) error { return s.engine.Load(ctx, w.policy, dir) }); err != nil {
		return nil, fmt.Errorf("load what is sampled from: %w", err)
	}
	s.mu.Lock()
	s.loaded.all[p.key] = w
	s.mu.Unlock()
	return w, nil
}

// oldest takes out weights that are not in use, if there is no room for others.
func (s *Server) oldest() *weights {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.loaded.all) < s.options.Samplers {
		return nil
	}
	oldest := ""
	for key, w := range s.loaded.all {
		if w.users == 0 && (oldest == "" || w.used.Before(s.loaded.all[oldest].used)) {
			oldest = key
		}
	}
	w := s.loaded.all[oldest]
	delete(s.loaded.all, oldest)
	return w
}

func (s *Server) getSampler(id string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.samplers[id]
	if p == nil {
		return checkpoint.Lost("there is no sampling session %.100q", id)
	}
	out := map[string]any{"sampler_id": p.id, "base_model": s.base.Name}
	if p.path != "" {
		out["model_path"] = p.path
	}
	return out
}

// join numbers the clients that share a sampler.
func (s *Server) join(r *http.Request) any {
	q, f := read[struct {
		Sampler string `json:"sampling_session_id"`
	}](s, r)
	if f != nil {
		return f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.samplers[q.Sampler]
	if p == nil {
		return checkpoint.Lost("there is no sampling session %.100q", q.Sampler)
	}
	p.session.joined[p.id]++
	return map[string]any{"type": "join_sampling_session", "client_counter": p.session.joined[p.id]}
}
