package tinker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"parley/serve/tinker/checkpoint"
)

type save struct {
	Model      string         `json:"model_id"`
	Seq        int            `json:"seq_id"`
	Name       string         `json:"path"`
	TTL        *int64         `json:"ttl_seconds"`
	Overwrite  bool           `json:"overwrite"`
	Metadata   map[string]any `json:"user_metadata"`
	Recipients []string       `json:"age_encryption_recipients"`
	Sampler    *int           `json:"sampling_session_seq_id"`
}

// checkpoint is what a request asks to be saved.
func (q *save) checkpoint(m *trained, kind string) (checkpoint.About, error) {
	a := checkpoint.About{
		Run: m.id, Kind: kind, Name: q.Name, Base: m.run.Base, Rank: m.run.Rank, MLP: m.run.MLP, Attn: m.run.Attn, Made: time.Now().UTC(), Metadata: q.Metadata,
	}
	if a.Name == "" {
		a.Name = fmt.Sprintf("%06d", q.Seq)
	}
	if len(q.Recipients) > 0 {
		return a, errors.New("age_encryption_recipients are set, and nothing is encrypted here")
	}
	if f := checkMetadata(q.Metadata); f != nil {
		return a, f
	}
	if q.TTL != nil {
		if *q.TTL < 1 || *q.TTL > checkpoint.LongestTTL {
			return a, fmt.Errorf("ttl_seconds is %d, expected 1 or more", *q.TTL)
		}
		until := a.Made.Add(time.Duration(*q.TTL) * time.Second)
		a.Expires = &until
	}
	return a, checkpoint.CheckName(a.Name)
}

// saveKinds are what the routes that save make.
var saveKinds = map[string]string{"save_weights": checkpoint.Training, "save_weights_for_sampler": checkpoint.Sampler, "save_weights_external": checkpoint.External}

func (s *Server) save(r *http.Request, route string) any {
	q, f := read[save](s, r)
	if f != nil {
		return f
	}
	m, f := s.model(q.Model)
	if f != nil {
		return f
	}
	passing, same := q.Sampler != nil && q.Name == "" && route == "save_weights_for_sampler", q
	if passing {
		same.Sampler = nil // a repetition has another one, and is the same request
	}
	hash := hashOf(route, same)
	if passing {
		return s.savePassing(m, &q, hash)
	}
	a, err := q.checkpoint(m, saveKinds[route])
	if err != nil {
		return s.refuse(m, q.Seq, hash, err)
	}
	return s.numbered(m, q.Seq, hash, 0, small(func(ctx context.Context) (plain, error) {
		a, err := s.store.Save(a, q.Overwrite, func(dir string) error { return s.engine.Save(ctx, m.policy, dir) })
		if errors.Is(err, checkpoint.ErrTaken) {
			err = userError{err}
		}
		if err != nil {
			return nil, err
		}
		return plain{"type": route, "path": a.Path()}, nil
	}))
}

// savePassing makes a session to sample from the weights of now.
func (s *Server) savePassing(m *trained, q *save, hash [32]byte) any {
	if *q.Sampler < 0 || *q.Sampler > mostSampler {
		return s.refuse(m, q.Seq, hash, fmt.Errorf("sampling_session_seq_id is %d, expected 0 or more", *q.Sampler))
	}
	return s.numbered(m, q.Seq, hash, 0, small(func(ctx context.Context) (plain, error) {
		dir, err := s.store.Passing(func(dir string) error { return s.engine.Save(ctx, m.policy, dir) })
		if err != nil {
			return nil, err
		}
		p := &sampler{id: fmt.Sprintf("%s:sample:%d", m.session.id, *q.Sampler), session: m.session, dir: dir, key: dir, passing: true}
		if err := s.addSampler(m.session, *q.Sampler, p); err != nil {
			s.store.Forget(dir)
			return nil, userError{err}
		}
		s.replace(m, p)
		return plain{"type": "save_weights_for_sampler", "path": nil, "sampling_session_id": p.id}, nil
	}))
}

// mostPassing are the samplers of a model that live as long as its session; older ones go.
const mostPassing = 16

// replace notes the newest sampler of a model.
func (s *Server) replace(m *trained, p *sampler) {
	s.mu.Lock()
	var old *sampler
	if m.passing = append(m.passing, p); len(m.passing) > mostPassing {
		old, m.passing = m.passing[0], m.passing[1:]
		delete(s.samplers, old.id)
		delete(m.session.joined, old.id)
		maps.DeleteFunc(m.session.samplers, func(_ int, key string) bool { return key == old.key })
	}
	s.mu.Unlock()
	if old != nil {
		s.work.Go(func() { s.forget(old) })
	}
}

type load struct {
	Model     string `json:"model_id"`
	Seq       int    `json:"seq_id"`
	Path      string `json:"path"`
	Optimizer bool   `json:"optimizer"`

	// Of a request that makes a new model of what it loads:
	Session  string         `json:"session_id"`
	ModelSeq *int           `json:"model_seq_id"`
	Base     string         `json:"base_model"`
	Metadata map[string]any `json:"user_metadata"`
	Adamw    *optimizer     `json:"optimizer_config"`
}

func (s *Server) load(r *http.Request) any {
	q, f := read[load](s, r)
	if f != nil {
		return f
	}
	hash := hashOf("load_weights", q)
	if q.Model == "" && q.ModelSeq != nil {
		return s.loadNew(&q, hash)
	}
	m, f := s.model(q.Model)
	if f != nil {
		return f
	}
	a, dir, err := s.find(q.Path)
	if err == nil && (a.Rank != m.run.Rank || a.MLP != m.run.MLP || a.Attn != m.run.Attn) {
		err = fmt.Errorf("%s is of rank %d, train_mlp %v, train_attn %v; the model has rank %d, %v, %v", q.Path, a.Rank, a.MLP, a.Attn, m.run.Rank, m.run.MLP, m.run.Attn)
	}
	if err != nil {
		return s.refuse(m, q.Seq, hash, err)
	}
	return s.numbered(m, q.Seq, hash, 0, small(func(ctx context.Context) (plain, error) { return s.read(ctx, m, &q, dir) }))
}

// loadNew makes a model of a checkpoint.
func (s *Server) loadNew(q *load, hash [32]byte) any {
	if f := checkMetadata(q.Metadata); f != nil {
		return f
	}
	return s.makeModel(q.Session, *q.ModelSeq, hash, func(m *trained) (work, error) {
		a, dir, err := s.find(q.Path)
		if err == nil && q.Adamw != nil && q.Adamw.Type != "" && q.Adamw.Type != "adamw" {
			err = fmt.Errorf("optimizer_config is %.40q; there is adamw", q.Adamw.Type)
		}
		m.run = checkpoint.Run{Base: a.Base, Rank: a.Rank, MLP: a.MLP, Attn: a.Attn, Metadata: q.Metadata}
		return small(func(ctx context.Context) (plain, error) { return s.read(ctx, m, q, dir) }), err
	})
}

// find is a checkpoint of this base.
func (s *Server) find(path string) (checkpoint.About, string, error) {
	run, kind, name, err := checkpoint.ParsePath(path)
	if err != nil {
		return checkpoint.About{}, "", userError{err}
	}
	a, dir, err := s.store.Find(run, kind, name)
	if err == nil && a.Base != s.base.Name {
		err = fmt.Errorf("%s is of the base %q; the server has %s", path, a.Base, s.base.Name)
	}
	if err != nil {
		err = userError{err}
	}
	return a, dir, err
}

// read loads a checkpoint into a model.
func (s *Server) read(ctx context.Context, m *trained, q *load, dir string) (plain, error) {
	err := s.store.Load(dir, q.Optimizer, func(dir string) error { return s.engine.Load(ctx, m.policy, dir) })
	if err != nil {
		return nil, userError{fmt.Errorf("%s: %w", q.Path, err)}
	}
	return plain{"type": "load_weights", "path": q.Path, "model_id": m.id}, nil
}
