package tinker

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"parley/engine"
	"parley/model"
	"parley/model/config"
	"parley/serve/tinker/checkpoint"
	"parley/serve/tinker/losses"
	"parley/serve/tinker/promise"
)

// A trained model is a policy of the engine that a client trains.
type trained struct {
	id      string
	policy  engine.Policy
	session *session
	run     checkpoint.Run
	lane    *promise.Lane
	life    context.Context
	stop    context.CancelFunc

	// Guarded by the server's mutex:
	seen    map[int]posted
	used    time.Time
	passing []*sampler // those of its weights that live as long as its session, the oldest first
}

// A lora says what a model trains. Alpha is no field of the protocol: who wants another than the one that adapters of the protocol have sends it.
type lora struct {
	Rank  int          `json:"rank"`
	Seed  *losses.Seed `json:"seed"`
	Alpha *float64     `json:"alpha"`
	MLP   *bool        `json:"train_mlp"`
	Attn  *bool        `json:"train_attn"`
}

const (
	usualRank  = 32
	usualAlpha = 32
	mostRank   = 512
	// mostModels are those of a session, one after the other.
	mostModels = 1 << 16
)

type optimizer struct {
	Type string `json:"type"`
}

type createModel struct {
	Session   string         `json:"session_id"`
	Seq       int            `json:"model_seq_id"`
	Base      string         `json:"base_model"`
	Metadata  map[string]any `json:"user_metadata"`
	Lora      *lora          `json:"lora_config"`
	Optimizer *optimizer     `json:"optimizer_config"`
	Role      string         `json:"model_role"`
}

// spec is what the engine is asked for.
func (s *Server) spec(q *createModel) (engine.PolicySpec, checkpoint.Run, error) {
	l := lora{}
	if q.Lora != nil {
		l = *q.Lora
	}
	if l.Rank == 0 {
		l.Rank = usualRank
	}
	yes := func(b *bool) bool { return b == nil || *b }
	run := checkpoint.Run{Base: s.base.Name, Rank: l.Rank, Alpha: usualAlpha, MLP: yes(l.MLP), Attn: yes(l.Attn), Metadata: q.Metadata, Session: q.Session}
	if l.Alpha != nil {
		run.Alpha = *l.Alpha
	}
	spec := engine.PolicySpec{Rank: l.Rank, Alpha: run.Alpha}
	if l.Seed != nil {
		spec.Seed = uint64(*l.Seed)
	} else {
		spec.Seed = losses.RandomSeed()
	}
	if run.Attn {
		spec.Targets = append(spec.Targets, s.base.Attn...)
	}
	if run.MLP {
		spec.Targets = append(spec.Targets, s.base.MLP...)
	}
	switch {
	case q.Base != "" && q.Base != s.base.Name:
		return spec, run, wrong("base_model is %.100q; the server has %s", q.Base, s.base.Name)
	case l.Rank < 1 || l.Rank > mostRank:
		return spec, run, wrong("rank is %d, expected 1 to %d", l.Rank, mostRank)
	case !(run.Alpha > 0) || run.Alpha > 1e6:
		return spec, run, wrong("alpha is %g, expected a number above 0", run.Alpha)
	case len(spec.Targets) == 0:
		return spec, run, wrong("train_attn and train_mlp are false: nothing is left to train; the head has no adapter here")
	case q.Optimizer != nil && q.Optimizer.Type != "" && q.Optimizer.Type != "adamw":
		return spec, run, wrong("optimizer_config is %.40q; there is adamw", q.Optimizer.Type)
	case q.Role != "" && q.Role != "policy":
		return spec, run, wrong("model_role is %.40q; there is policy", q.Role)
	}
	return spec, run, nil
}

// makeModel promises a new model, once for each number of its session.
func (s *Server) createModel(r *http.Request) any {
	q, f := read[createModel](s, r)
	if f == nil {
		f = checkMetadata(q.Metadata)
	}
	if f != nil {
		return f
	}
	return s.makeModel(q.Session, q.Seq, hashOf("create_model", q), func(m *trained) (work, error) {
		spec, run, err := s.spec(&q)
		m.run = run
		return small(func(ctx context.Context) (plain, error) {
			if err := s.engine.NewPolicy(ctx, m.policy, spec); err != nil {
				return nil, userError{err}
			}
			return plain{"type": "create_model", "model_id": m.id, "lora_config": plain{"rank": run.Rank, "alpha": run.Alpha}}, nil
		}), err
	})
}

// makeModel makes room for a model and promises the work that makes it.
func (s *Server) makeModel(session string, seq int, hash [32]byte, prepare func(*trained) (work, error)) any {
	c, f := s.session(session)
	if f != nil {
		return f
	}
	if seq < 0 || seq > mostModels {
		return checkpoint.Bad("model_seq_id is %d, expected 0 to %d", seq, mostModels)
	}
	id := fmt.Sprintf("%s:train:%d", session, seq)
	m := &trained{id: id, policy: engine.Policy("train " + id), session: c, lane: promise.NewLane(0, s.options.Patience), seen: map[int]posted{}, used: time.Now()}
	do, err := prepare(m)
	m.run.ID, m.run.Session, m.run.Made = id, session, time.Now().UTC()
	p, told := s.addModel(m, seq, hash, err)
	if p == nil {
		return told
	}
	s.enqueue(m.life, m, 0, p, func(ctx context.Context) (promise.Result, int, error) {
		r, weight, err := do(ctx)
		if err == nil {
			err = s.store.AddRun(m.run)
		}
		if err != nil {
			s.work.Go(func() { s.unload(m) })
		}
		return r, weight, err
	})
	return told
}

// addModel promises a model under its number, and says what to tell the client. No promise: there is nothing to do, because the same request came before, or
// because the model is refused, for err or for a reason of the server's.
func (s *Server) addModel(m *trained, seq int, hash [32]byte, err error) (p *promise.Promise, told any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, again := m.session.models[seq]
	switch {
	case again && was.hash == hash:
		return nil, plain{"request_id": was.request, "model_id": m.id}
	case again:
		err = errors.New("another request had this model_seq_id")
	case s.sessions[m.session.id] != m.session:
		err = errors.New(gone.Words)
	case err == nil && len(s.models) >= s.options.Models:
		err = fmt.Errorf("the server trains %d models already: unload one, or end its session", s.options.Models)
	}
	if err != nil {
		return nil, m.promise(s.promises.Broken(promise.Failure{Category: "user", Words: err.Error()}))
	}
	if p, err = s.promises.Make(0, func() {}); err != nil {
		return nil, tooMany(err)
	}
	m.life, m.stop = context.WithCancel(m.session.life)
	m.session.models[seq] = posted{hash, p.ID}
	s.models[m.id] = m
	return p, m.promise(p)
}

// model finds one. Those of before a restart, and those that were unloaded, are not there.
func (s *Server) model(id string) (*trained, *checkpoint.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.models[id]
	if m == nil {
		return nil, checkpoint.Lost("there is no model %.100q: it was unloaded, its session ended, or the server was started again; make a new one and load a checkpoint", id)
	}
	m.used = time.Now()
	m.session.seen = m.used
	return m, nil
}

// used is when a model was last asked for something; zero: it is not there.
func (s *Server) used(id string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.models[id]; m != nil {
		return m.used
	}
	return time.Time{}
}

func (s *Server) getInfo(r *http.Request) any {
	m, f := s.readModel(r)
	if f != nil {
		return f
	}
	return map[string]any{
		"type": "get_info", "model_id": m.id, "is_lora": true, "lora_rank": m.run.Rank, "model_name": s.base.Name, "optimizer_config": optimizer{"adamw"},
		"model_data": map[string]any{"arch": s.base.Arch, "model_name": s.base.Name, "tokenizer_id": s.base.Tokenizer},
	}
}

// readModel reads a request about a model and nothing else.
func (s *Server) readModel(r *http.Request) (*trained, *checkpoint.Fault) {
	q, f := read[struct {
		Model string `json:"model_id"`
	}](s, r)
	if f != nil {
		return nil, f
	}
	return s.model(q.Model)
}

func (s *Server) unloadModel(r *http.Request) any {
	m, f := s.readModel(r)
	if f != nil {
		return f
	}
	s.unload(m)
	p, err := s.promises.Make(0, func() {})
	if err != nil {
		return tooMany(err)
	}
	p.Keep(plain{"model_id": m.id, "type": "unload_model"}, 0)
	return m.promise(p)
}

// unload ends a model; what it saved stays.
func (s *Server) unload(m *trained) {
	s.mu.Lock()
	delete(s.models, m.id)
	s.mu.Unlock()
	s.drop(m)
}

// drop gives a model's memory back, once what is being done with it is done.
func (s *Server) drop(m *trained) {
	m.stop()
	m.lane.Close()
	s.work.Go(func() {
		_ = s.alone(context.Background(), m.session.id, func() error { return s.engine.Drop(m.policy) }) // one that was never made is not there
	})
}

// hashOf tells requests of a path apart by what they say, however that is written.
func hashOf(path string, v any) [32]byte {
	data, err := json.Marshal(v)
	if err != nil { // it was read from JSON
		data = []byte(err.Error())
	}
	return sha256.Sum256(append([]byte(path+"\n"), data...))
}

// BaseOf is a model as clients see it.
func BaseOf(m *model.Model, c config.Config) Base {
	b := Base{Name: m.Name, Tokenizer: m.Path, Arch: c.ModelType, Base: losses.Base{Vocab: c.Vocab, Ends: m.Stop(), Watch: func(texts []string) (func() engine.Watcher, error) {
		stops, err := m.Stops(texts)
		if err != nil {
			return nil, err
		}
		return func() engine.Watcher { return stops.Watch(0) }, nil
	}}}
	if b.Tokenizer == "" {
		b.Tokenizer = m.Name
	}
	b.Attn, b.MLP = projections(c.Family())
	return b
}

// projections are those of attention and those of the gated block.
func projections(f *config.Family) (attention, gated []string) {
	for _, p := range f.Projections() {
		if strings.HasPrefix(p.Module(), "self_attn.") {
			attention = append(attention, p.Target())
		} else {
			gated = append(gated, p.Target())
		}
	}
	return attention, gated
}
