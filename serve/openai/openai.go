// Package openai is a server that speaks OpenAI's protocol, as clients of it expect in practice.
//
//	openai.go       routes; what every request passes
//	errors.go       what clients are told when there is no answer
//	fields.go       bodies, and conversations in them
//	sampling.go     parameters that routes share
//	chat.go         /v1/chat/completions, whole
//	stream.go       and piece by piece; events.go are the events
//	logprobs.go     log-probabilities of the tokens of an answer
//	completions.go  /v1/completions: texts and token ids that are no conversation
//	responses.go    /v1/responses, without state
//	models.go       /v1/models
//
// A request needs the token, has a body of bounded size, and waits in a queue that is fair to clients. What a team says in its turns is the
// reasoning of its answer. A client that leaves stops its sampling within a step.
package openai

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"parley/serve"
	"parley/serve/metrics"
	"parley/serve/queue"
)

// Options say how a server answers.
type Options struct {
	Token    string // that requests carry; empty: none is asked for
	MaxBody  int64  // bytes
	Working  int    // requests that are answered at a time
	Waiting  int    // requests that wait at a time
	Loopback bool   // the server is reached from this machine alone: /metrics needs no token
	// Still is how long an answer may be silent before a comment says that it is coming.
	Still time.Duration
}

// A Server answers for models.
type Server struct {
	options  Options
	models   []serve.Model
	queue    *queue.Queue
	counts   counts
	draining atomic.Bool
}

// New returns a server of models, the first of which is meant where a client names none.
func New(models []serve.Model, o Options) *Server {
	s := &Server{options: o, models: models, queue: queue.New(o.Working, o.Waiting)}
	s.counts = newCounts(&metrics.Registry{}, s.queue)
	return s
}

// Drain refuses what comes from now on, and lets what is there end.
func (s *Server) Drain() { s.draining.Store(true) }

// Handler serves all routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	routes := map[string]func(http.ResponseWriter, *http.Request) *failure{
		"POST /v1/chat/completions": s.chat,
		"POST /v1/completions":      s.complete,
		"POST /v1/responses":        s.respond,
		"GET /v1/models":            s.list,
		"GET /v1/models/{id...}":    s.describe,
	}
	for pattern, f := range routes {
		method, path, _ := strings.Cut(pattern, " ")
		name := strings.TrimSuffix(path, "/{id...}")
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, name, method, f) })
	}
	mux.HandleFunc("/health", s.health)
	mux.HandleFunc("/ready", s.ready)
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, r *http.Request) {
		if !s.options.Loopback {
			s.serve(w, r, "/metrics", http.MethodGet, s.measure)
			return
		}
		_ = s.measure(w, r) // it never fails
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, "unknown", r.Method, unknown) })
	return mux
}

// serve is what every request passes: its name, the token, its method and its size.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, route, method string, f func(http.ResponseWriter, *http.Request) *failure) {
	w.Header().Set("x-request-id", newID("req_"))
	watched := &watched{ResponseWriter: w, status: http.StatusOK}
	defer func() { s.counts.requests.Add(1, route, watched.code()) }()
	fault := s.admit(r, method)
	if fault == nil {
		r.Body = http.MaxBytesReader(watched, r.Body, s.options.MaxBody)
		fault = f(watched, r)
	}
	if fault == nil {
		return
	}
	switch fault.status {
	case http.StatusUnauthorized:
		watched.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		watched.Header().Set("Allow", method)
	}
	fault.write(watched)
}

// admit refuses who may not ask.
func (s *Server) admit(r *http.Request, method string) *failure {
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case s.options.Token != "" && (!bearer || subtle.ConstantTimeCompare([]byte(given), []byte(s.options.Token)) != 1):
		return fail(http.StatusUnauthorized, "the request carries no valid token; send it as Authorization: Bearer TOKEN, or as the API key of your client").coded("invalid_api_key")
	case r.Method != method:
		return fail(http.StatusMethodNotAllowed, "the method is %s, expected %s", r.Method, method)
	case s.draining.Load():
		return fail(http.StatusServiceUnavailable, "the server is about to stop").after(5)
	}
	return nil
}

func unknown(_ http.ResponseWriter, r *http.Request) *failure {
	return fail(http.StatusNotFound, "there is nothing at %.200q", r.URL.Path).coded("unknown_url")
}

// model is the one that a request names.
func (s *Server) model(name string) (*serve.Model, *failure) {
	for i := range s.models {
		if s.models[i].ID == name {
			return &s.models[i], nil
		}
	}
	names := make([]string, len(s.models))
	for i, m := range s.models {
		names[i] = m.ID
	}
	return nil, fail(http.StatusNotFound, "there is no model %.200q; there are %s", name, strings.Join(names, ", ")).of("model").coded("model_not_found")
}

// work lets a request work when it is its turn.
func (s *Server) work(r *http.Request, user string, f func(ctx context.Context) error) *failure {
	client := user
	if client == "" {
		client, _, _ = strings.Cut(r.RemoteAddr, ":")
	}
	begun := time.Now()
	leave, err := s.queue.Enter(r.Context(), client)
	if err == nil {
		defer leave()
		err = f(r.Context())
	}
	switch {
	case errors.Is(r.Context().Err(), context.Canceled) && !s.draining.Load():
		s.counts.cancelled.Add(1)
		panic(http.ErrAbortHandler) // there is nobody to tell
	case err != nil:
		return failureOf(err)
	}
	s.counts.latency.Observe(time.Since(begun).Seconds())
	return nil
}

// whole answers a request at once.
func (s *Server) whole(w http.ResponseWriter, r *http.Request, user string, answer func(context.Context) (any, error)) *failure {
	return s.work(r, user, func(ctx context.Context) error {
		body, err := answer(ctx)
		if err == nil {
			writeJSON(w, http.StatusOK, body)
		}
		return err
	})
}

// stream answers a request piece by piece. What goes wrong behind the head is an event, after which the connection is cut, so that no
// client takes the answer for a whole one.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, user string, answer func(context.Context, *events) error) *failure {
	return s.work(r, user, func(ctx context.Context) error {
		e := newEvents(w, s.options.Still)
		defer e.close()
		err := answer(ctx, e)
		if err != nil && ctx.Err() == nil {
			_ = e.send(map[string]any{"error": failureOf(err)}) // the client may be gone as well
			panic(http.ErrAbortHandler)
		}
		return err
	})
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.draining.Load() {
		fail(http.StatusServiceUnavailable, "the server is about to stop").after(5).write(w)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}

// newID is a name that nothing else has.
func newID(prefix string) string {
	var b [12]byte
	rand.Read(b[:])
	return prefix + hex.EncodeToString(b[:])
}
