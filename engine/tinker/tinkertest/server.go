// Package tinkertest is a server of the Tinker protocol for tests of its client: it computes with an engine of this program, so that what comes
// out can be compared with that engine's own numbers, bit by bit where the protocol allows.
//
// It answers as the published servers do, in what a client has to live with: results come later, requests are known again by their numbers,
// a server that averages can be asked for ([Server.Mean]), and so can one that was started again and does not say so ([Server.Restart]).
package tinkertest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/engine"
	"parley/engine/tinker/wire"
)

// An Engine is what the server computes with.
type Engine interface {
	engine.Engine
	engine.Distiller
}

// A Server is one.
type Server struct {
	Key  string        // that requests must have; empty: none
	Mean bool          // a step averages over the tokens of each datum, and over the data since the last
	Hold time.Duration // how long a question about a result is held
	// Leaks says that the weight decay of a step shrinks all models.
	Leaks bool
	// Forgetful servers do not know requests again: one that comes twice is done twice.
	Forgetful bool
	// Live servers sample from what a model is when they come to it, whatever its session was made of.
	Live bool

	mu      sync.Mutex
	engine  Engine
	base    string
	dir     string // of what is saved
	models  map[string]*model
	futures []*future
	session int
	made    int             // models
	saved   map[string]bool // names that are taken
	live    map[string]engine.Policy
	saves   int
	asked   map[string]int // requests by path
}

// A model is one that is trained.
type model struct {
	policy engine.Policy
	lost   bool // the server was started again: nobody works on its requests
	spec   engine.PolicySpec
	seen   map[int]seen
	data   []wire.Datum // of the next step, with their losses
	losses []lossOf
}

// A seen request is one whose number came.
type seen struct {
	body string
	id   string
}

// A future is a result to come.
type future struct {
	done   chan struct{}
	kind   string
	body   []byte
	status int
}

// New returns a server that computes with an engine over a base of a name. What it saves goes to a folder.
func New(e Engine, base, dir string) *Server {
	return &Server{engine: e, base: base, dir: dir, Hold: 50 * time.Millisecond, models: map[string]*model{}, saved: map[string]bool{}, live: map[string]engine.Policy{}, asked: map[string]int{}}
}

// Restart is what a server does that was killed and comes up again over the same database: it takes requests for its old models, and never
// works on them.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.models {
		m.lost = true
	}
}

// Change alters the server between two requests.
func (s *Server) Change(how func(*Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how(s)
}

// Asked is how often a path was asked for.
func (s *Server) Asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/api/v1/")
	if !ok {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	if s.Key != "" && r.Header.Get("X-API-Key") != s.Key {
		fail(w, http.StatusUnauthorized, "no such key")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.asked[path]++
	s.mu.Unlock()
	if r.Method == http.MethodGet {
		s.get(w, path)
		return
	}
	if path == "retrieve_future" {
		s.retrieve(w, body)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if path == "forward_backward" {
		s.pass(w, body)
		return
	}
	s.post(w, path, body)
}

func fail(w http.ResponseWriter, status int, words string) {
	answer(w, status, map[string]any{"detail": words})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// fields are those of all requests in JSON that the server looks at.
type fields struct {
	Session   string              `json:"session_id"`
	Model     string              `json:"model_id"`
	Seq       int                 `json:"seq_id"`
	Base      string              `json:"base_model"`
	Path      string              `json:"path"`
	ModelPath string              `json:"model_path"`
	Optimizer bool                `json:"optimizer"`
	Lora      wire.Lora           `json:"lora_config"`
	Adam      wire.Adam           `json:"adam_params"`
	Prompt    wire.Prompt         `json:"prompt"`
	Params    wire.SamplingParams `json:"sampling_params"`
	Sampling  string              `json:"sampling_session_id"`
}

// post answers requests in JSON. The caller holds s.mu.
func (s *Server) post(w http.ResponseWriter, path string, body []byte) {
	var f fields
	if err := json.Unmarshal(body, &f); err != nil {
		fail(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	switch {
	case path == "client/config":
		answer(w, 200, map[string]any{"pjwt_auth_enabled": false})
	case path == "create_session":
		s.session++
		answer(w, 200, map[string]any{"session_id": fmt.Sprint("s-", s.session), "type": path})
	case path == "session_heartbeat":
		answer(w, 200, map[string]any{"type": path})
	case strings.HasSuffix(path, "/finish"):
		answer(w, 200, map[string]any{})
	case path == "create_model":
		s.createModel(w, &f)
	case path == "unload_model":
		delete(s.models, f.Model)
		s.promise(w, "json", func() (any, error) { return map[string]any{"model_id": f.Model}, nil })
	case path == "create_sampling_session":
		s.createSampling(w, &f)
	case path == "asample":
		s.promise(w, "proto", func() (any, error) { return s.sample(&f) })
	default:
		s.train(w, path, &f, body)
	}
}

// train answers requests about a model, which have numbers.
func (s *Server) train(w http.ResponseWriter, path string, f *fields, body []byte) {
	m := s.models[f.Model]
	if m == nil {
		fail(w, http.StatusNotFound, "Model not found")
		return
	}
	do := map[string]func() (any, error){
		"optim_step":               func() (any, error) { return s.step(m, f.Adam) },
		"save_weights":             func() (any, error) { return s.save(m, f, "weights") },
		"save_weights_for_sampler": func() (any, error) { return s.saveSampler(m, f) },
		"load_weights":             func() (any, error) { return s.load(m, f) },
	}[path]
	if do == nil {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	if strings.HasPrefix(path, "save") && f.Path != "" {
		if s.saved[f.Model+"/"+path+"/"+f.Path] {
			fail(w, http.StatusConflict, "Checkpoint already exists")
			return
		}
		s.saved[f.Model+"/"+path+"/"+f.Path] = true
	}
	s.numbered(w, m, f.Seq, string(body), "json", do)
}

// numbered does what a request asks for once, however often it comes.
func (s *Server) numbered(w http.ResponseWriter, m *model, seq int, body, kind string, do func() (any, error)) {
	if was, known := m.seen[seq]; known && !s.Forgetful {
		if was.body != body {
			fail(w, http.StatusConflict, "Training request sequence number was reused")
			return
		}
		answer(w, 200, map[string]any{"request_id": was.id})
		return
	}
	if want := len(m.seen) + 1; seq != want && !s.Forgetful {
		s.promise(w, kind, func() (any, error) { return nil, fmt.Errorf("Sequence conflict: expected %d, got %d", want, seq) }) //nolint:staticcheck // the server's words
		return
	}
	if m.lost {
		do = nil
	}
	m.seen[seq] = seen{body, s.promise(w, kind, do)}
}

// promise makes a future and returns its name. If do is nil, the future never comes.
func (s *Server) promise(w http.ResponseWriter, kind string, do func() (any, error)) string {
	f := &future{done: make(chan struct{}), kind: kind, status: 200}
	s.futures = append(s.futures, f)
	id := strconv.Itoa(len(s.futures))
	if do != nil {
		result, err := do()
		switch encoded := result.(type) {
		case []byte:
			f.body = encoded
		default:
			f.body, _ = json.Marshal(result)
		}
		if err != nil {
			f.status, f.kind = http.StatusBadRequest, "json"
			f.body, _ = json.Marshal(map[string]any{"detail": err.Error()})
		}
		close(f.done)
	}
	answer(w, 200, map[string]any{"request_id": id, "future_id": id})
	return id
}

// retrieve answers questions about results.
func (s *Server) retrieve(w http.ResponseWriter, body []byte) {
	var q wire.Retrieve
	_ = json.Unmarshal(body, &q)
	s.mu.Lock()
	n, err := strconv.Atoi(q.Request)
	if err != nil || n < 1 || n > len(s.futures) {
		s.mu.Unlock()
		fail(w, http.StatusNotFound, "Future not found")
		return
	}
	f := s.futures[n-1]
	s.mu.Unlock()
	select {
	case <-f.done:
	case <-time.After(s.Hold):
		answer(w, http.StatusRequestTimeout, map[string]any{"type": "try_again", "request_id": q.Request})
		return
	}
	w.Header().Set("Content-Type", map[string]string{"json": "application/json", "proto": "application/x-protobuf"}[f.kind])
	w.WriteHeader(f.status)
	_, _ = w.Write(f.body)
}

func (s *Server) createModel(w http.ResponseWriter, f *fields) {
	s.made++
	id := fmt.Sprintf("%s:train:%d", f.Session, s.made-1)
	m := &model{policy: engine.Policy(id), spec: engine.PolicySpec{Rank: f.Lora.Rank, Alpha: 32, Seed: uint64(f.Lora.Seed)}, seen: map[int]seen{}}
	s.promise(w, "json", func() (any, error) {
		if err := s.engine.NewPolicy(context.Background(), m.policy, m.spec); err != nil {
			return nil, err
		}
		s.models[id] = m
		return map[string]any{"model_id": id, "lora_config": map[string]any{"rank": m.spec.Rank, "alpha": m.spec.Alpha}}, nil
	})
}

// get answers questions without a body.
func (s *Server) get(w http.ResponseWriter, path string) {
	part := strings.Split(path, "/")
	switch {
	case path == "healthz":
		answer(w, 200, map[string]any{"status": "ok"})
	case path == "get_server_capabilities":
		answer(w, 200, map[string]any{"supported_models": []any{map[string]any{"model_name": s.base}}})
	case len(part) == 3 && part[0] == "training_runs" && part[2] == "checkpoints":
		answer(w, 200, map[string]any{"checkpoints": s.checkpoints(part[1])})
	case len(part) == 5 && part[4] == "archive":
		w.Header().Set("Location", "/api/v1/"+strings.Join(part[:4], "/")+"/download")
		w.WriteHeader(http.StatusFound)
	case len(part) == 5 && part[4] == "download":
		s.archive(w, filepath.Join(s.dir, part[1], "sampler_weights", part[3]))
	default:
		fail(w, http.StatusNotFound, "Not Found")
	}
}

// checkpoints lists what a model saved.
func (s *Server) checkpoints(run string) (out []any) {
	for _, kind := range []string{"weights", "sampler_weights"} {
		all, _ := os.ReadDir(filepath.Join(s.dir, run, kind))
		for _, f := range all {
			out = append(out, map[string]any{"checkpoint_id": f.Name(), "tinker_path": "tinker://" + run + "/" + kind + "/" + f.Name()})
		}
	}
	return out
}
