package serve

// This file is what every request to a server of parley passes, whatever protocol it speaks.
//
//	gate.go     routes: the token, methods, bodies of bounded size
//	turns.go    a request works when it is its turn, for a bounded time
//	body.go     JSON bodies
//	failure.go  what clients are told when there is no answer
//	events.go   an answer in server-sent events
//	counts.go   what is measured, at /metrics; package web writes it
//
// Each protocol is a package of its own: [parley/serve/openai], [parley/serve/ollama]. They share one gate, so that one queue is fair to all.

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley/internal/service/web"
)

// GateOptions say whom a server answers, and how much.
type GateOptions struct {
	Token    string        // that requests carry; empty: none is asked for
	MaxBody  int64         // bytes
	Working  int           // requests that are answered at a time
	Waiting  int           // requests that wait at a time
	Longest  time.Duration // that one is worked on; 0: as long as it takes
	Loopback bool          // the server is reached from this machine alone: /metrics needs no token, and who brings none has to know its address
	Hosts    []string      // names of the server, beside its addresses and localhost
	Origins  []string      // of pages of other servers that browsers may ask from; * is all
	// Named finds the model that a request names, or says why there is none; nil, and where it returns neither: it is the one of that ID.
	Named func(name string) (*Model, *Failure)
}

// A Gate lets requests in. Its methods are safe for concurrent use.
type Gate struct {
	options  GateOptions
	models   []Model
	queue    *Queue
	counts   counts
	draining atomic.Bool
}

// NewGate returns a gate before models.
func NewGate(models []Model, o GateOptions) *Gate {
	g := &Gate{options: o, models: models, queue: NewQueue(o.Working, o.Waiting)}
	g.counts = newCounts(&web.Registry{}, g.Counts)
	return g
}

// Drain refuses what comes from now on, and lets what is there end.
func (g *Gate) Drain() { g.draining.Store(true) }

// Models are all that is served.
func (g *Gate) Models() []Model { return g.models }

// Model is the one that a request names.
func (g *Gate) Model(name string) (*Model, *Failure) {
	if g.options.Named != nil {
		if m, fault := g.options.Named(name); m != nil || fault != nil {
			return m, fault
		}
	}
	for i := range g.models {
		if g.models[i].ID == name {
			return &g.models[i], nil
		}
	}
	names := make([]string, len(g.models))
	for i, m := range g.models {
		names[i] = m.ID
	}
	return nil, Fail(http.StatusNotFound, "there is no model %.200q; there are %s", name, strings.Join(names, ", ")).Of("model").Coded("model_not_found")
}

// A Route is what is answered at a path.
type Route struct {
	Method string // with GET, HEAD is too
	Path   string // a pattern of [http.ServeMux] without a method
	Open   bool   // no token is asked for
	Answer func(w http.ResponseWriter, r *http.Request) *Failure
	Refuse func(w http.ResponseWriter, f *Failure) // writes a failure; nil: as OpenAI's protocol does
}

// Handler serves routes, and what all servers have: /health, /ready and /metrics.
func (g *Gate) Handler(routes ...Route) http.Handler {
	mux := http.NewServeMux()
	own := []Route{
		{Method: http.MethodGet, Path: "/health", Open: true, Answer: health},
		{Method: http.MethodGet, Path: "/ready", Open: true, Answer: g.ready},
		{Method: http.MethodGet, Path: "/metrics", Open: g.options.Loopback, Answer: g.measure},
		{Path: "/", Answer: unknown},
	}
	for _, route := range append(own, routes...) {
		mux.HandleFunc(route.Path, func(w http.ResponseWriter, r *http.Request) { g.pass(w, r, route) })
	}
	nowhere := Route{Path: "/", Answer: unknown}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.Path; p != "/" && path.Clean(p) != strings.TrimSuffix(p, "/") {
			g.pass(w, r, nowhere) // a mux would redirect, to a page for people
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// pass is the way of every request.
func (g *Gate) pass(w http.ResponseWriter, r *http.Request, to Route) {
	watched := &watched{ResponseWriter: w, status: http.StatusOK}
	watched.Header().Set("x-request-id", NewID("req_"))
	name := "unknown" // no label holds what a client wrote
	if to.Method != "" {
		name = strings.TrimSuffix(strings.TrimSuffix(to.Path, "/{id...}"), "{$}")
	}
	defer func() { g.counts.requests.Add(1, name, watched.code()) }()
	defer watched.recover()
	if g.share(watched, r) {
		return
	}
	body := r.Body
	r.Body = http.MaxBytesReader(watched, body, g.options.MaxBody)
	fault := g.bounded(watched, r, to)
	if fault == nil {
		fault = to.Answer(watched, r)
	}
	if fault == nil {
		return
	}
	switch fault.Status {
	case http.StatusUnauthorized:
		watched.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		watched.Header().Set("Allow", to.Method)
	case http.StatusRequestEntityTooLarge:
		if r.Header.Get("Expect") == "" { // who waits to be asked for the body reads the answer instead
			_ = receive(io.Discard, io.LimitReader(body, lingers*g.options.MaxBody)) // whether it ends well does not matter
		}
	}
	fault.head(watched.Header())
	if to.Refuse == nil {
		to.Refuse = write
	}
	to.Refuse(watched, fault)
}

// lingers is how many times the limit of a body that is too large is read and forgotten: many clients read no answer while they send, and take a
// connection that is closed meanwhile for one that broke, which they would try again.
const lingers = 4

// bounded refuses bodies that are too large, and then clients that may not ask; these get a moment to send their body.
// A body of unknown length is read, up to the limit, before a client without a token is refused.
func (g *Gate) bounded(w http.ResponseWriter, r *http.Request, to Route) *Failure {
	fault := g.admit(r, to)
	if fault != nil && r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(web.UsualLimits.Rest)) // a writer without deadlines, as in tests, has none
	}
	if r.ContentLength > g.options.MaxBody {
		return tooLarge(g.options.MaxBody)
	}
	if fault != nil && fault.Status == http.StatusUnauthorized && r.ContentLength < 0 {
		if large := receive(io.Discard, r.Body); large != nil && large.Status == http.StatusRequestEntityTooLarge {
			return large
		}
	}
	return fault
}

// share lets browsers ask from pages of other servers, where the user wants it, and reports whether the request asked for no more than that.
func (g *Gate) share(w http.ResponseWriter, r *http.Request) (asked bool) {
	origin := r.Header.Get("Origin")
	if origin == "" || !slices.Contains(g.options.Origins, origin) && !slices.Contains(g.options.Origins, "*") {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
	w.WriteHeader(http.StatusNoContent)
	return true
}

// admit refuses who may not ask.
func (g *Gate) admit(r *http.Request, to Route) *Failure {
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	known := bearer && subtle.ConstantTimeCompare([]byte(given), []byte(g.options.Token)) == 1
	switch {
	case !known && g.options.Loopback && !web.KnowsHost(r.Host, g.options.Hosts...):
		return Fail(http.StatusMisdirectedRequest, "the server is not asked for by the name %.100q; use the address that was printed", r.Host)
	case !known && !to.Open && g.options.Token != "":
		return Fail(http.StatusUnauthorized, "the request carries no valid token; send it as Authorization: Bearer TOKEN, or as the API key of your client").Coded("invalid_api_key")
	case to.Method != "" && r.Method != to.Method && (r.Method != http.MethodHead || to.Method != http.MethodGet):
		return Fail(http.StatusMethodNotAllowed, "the method is %.20s, expected %s", r.Method, to.Method)
	case !to.Open && g.draining.Load():
		return leaving()
	}
	return nil
}

func unknown(_ http.ResponseWriter, r *http.Request) *Failure {
	return Fail(http.StatusNotFound, "there is nothing at %.200q", r.URL.Path).Coded("unknown_url")
}

func health(w http.ResponseWriter, _ *http.Request) *Failure {
	WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

func (g *Gate) ready(w http.ResponseWriter, _ *http.Request) *Failure {
	if g.draining.Load() {
		return leaving()
	}
	WriteJSON(w, http.StatusOK, map[string]string{"status": "ready"})
	return nil
}

// leaving is what is said while the server stops.
func leaving() *Failure {
	return Fail(http.StatusServiceUnavailable, "the server is about to stop").after(5)
}

// NewID is a name that nothing else has.
func NewID(prefix string) string {
	var b [12]byte
	rand.Read(b[:])
	return prefix + hex.EncodeToString(b[:])
}
