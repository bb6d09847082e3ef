// Package tinker is a server of the Tinker protocol: the official Python SDK, and everything that is written on it, trains and samples with an
// engine of this program, on this machine.
//
//	tinker.go    options, what every request passes, the life of the server
//	routes.go    which path is what
//	errors.go    whose fault it is that there is no result
//	work.go      requests of work: a promise at once, the work in its turn
//	retrieve.go  results, which clients come for
//	session.go   clients, and what those leave behind who are gone; sessions.go lists them
//	model.go     models, which are policies of the engine
//	pass.go      passes forward and backward; step.go steps of the optimizer
//	save.go      checkpoints
//	sampler.go   what is sampled from; sample.go completions; alternatives.go the most probable tokens beside them
//
// Below it, answer reads bodies and writes what clients are told at once, draws reads requests for completions, losses has the protocol's losses, gradient
// takes them through the engine, order the order of a model's requests, promise the results to come, checkpoint the folder of what was saved, catalog what
// is shown of it and route the paths with names in them.
//
// # Who waits for whom
//
// Samples of all clients go through the engine together (serve/chatsession). A request that trains, saves or loads has the engine alone: requests in
// flight end before it begins, and new ones wait. Clients take turns in both, so that one who sends a thousand requests delays the others by one.
//
// # What a client may rely on
//
// A request that has a number does its work once, however often it comes. A refused request changes nothing. A result can be asked for again and again
// for some minutes. Models and sampling sessions live as long as their session; what was saved under a name outlives the server, and a model that is
// loaded from it goes on bit for bit. A name of before a restart is an error, never a wait.
package tinker

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"parley/rl/rollout/gather"

	"parley/engine"
	"parley/internal/service/web"
	"parley/serve"
	"parley/serve/tinker/checkpoint"
	"parley/serve/tinker/losses"
	"parley/serve/tinker/promise"
)

// An Engine is what the server computes with.
type Engine interface {
	engine.Engine
	engine.Contexter
	engine.Continuous
	engine.Distiller
	engine.Distributor
	engine.Dropper
}

// A Base is the model that the server's clients train over.
type Base struct {
	Name      string // that clients call it by
	Tokenizer string // where their transformers find its tokenizer
	Arch      string
	MLP, Attn []string // projections that adapters have, by their kind
	losses.Base
}

// Options say how a server answers.
type Options struct {
	Token    string   // that requests carry as X-API-Key, also behind "tml-"; empty: none is asked for
	Loopback bool     // the server is reached from this machine alone: who brings no token has to know its address
	Hosts    []string // names of the server, beside its addresses and localhost
	MaxBody  int64    // bytes of one body, also unpacked
	Working  int      // completions' requests that are in the engine at a time
	Waiting  int      // requests of work that may wait; more are told to come back
	Models   int      // that are trained at a time
	Samplers int      // adapters that are only sampled from, in memory at a time; others are read again when they are needed

	Hold     time.Duration // the longest that a question about a result is held
	Silence  time.Duration // after which a session whose client is not heard of ends
	Patience time.Duration // how long a request waits for one with a smaller number that does not come
}

// Defaults are the options of a server for a few clients.
func Defaults() Options {
	return Options{
		MaxBody: 64 << 20, Working: 64, Waiting: 4096, Models: 64, Samplers: 16,
		Hold: 25 * time.Second, Silence: 5 * time.Minute, Patience: 30 * time.Second,
	}
}

const (
	mostSessions  = 1024
	mostOpenBytes = 1 << 30          // of requests that wait
	mostKeptBytes = 1 << 29          // of results
	keep          = 20 * time.Minute // results that were not fetched
	keepTold      = 2 * time.Minute  // results that were given out
)

// A Server answers for one base.
type Server struct {
	options  Options
	base     Base
	engine   Engine
	batcher  *gather.Batcher
	store    *checkpoint.Store
	promises *promise.Table
	training *serve.Queue // one at a time
	sampling *serve.Queue
	work     sync.WaitGroup
	life     context.Context
	stop     context.CancelFunc
	catalog  *checkpoint.Catalog

	mu       sync.Mutex
	sessions map[string]*session
	keys     map[string]string // sessions by the keys of the requests that made them
	models   map[string]*trained
	samplers map[string]*sampler // by session
	loaded   loaded
	drawn    map[sampleKey]string // what requests to sample were promised
}

// New returns a server that computes with an engine, which is the server's alone, and keeps checkpoints in a store.
func New(e Engine, base Base, store *checkpoint.Store, o Options) *Server {
	s := &Server{
		options: o, base: base, engine: e, batcher: gather.NewBatcher(e), store: store,
		promises: promise.NewTable(promise.Limits{Open: o.Waiting, OpenBytes: mostOpenBytes, Keep: keep, Again: keepTold, KeepBytes: mostKeptBytes}),
		training: serve.NewQueue(1, o.Waiting+1), sampling: serve.NewQueue(o.Working, o.Waiting+1),
		sessions: map[string]*session{}, keys: map[string]string{}, models: map[string]*trained{}, samplers: map[string]*sampler{},
		loaded: loaded{all: map[string]*weights{}}, drawn: map[sampleKey]string{},
	}
	s.base.Context = e.Context()
	s.catalog = checkpoint.New(store, s.used)
	s.life, s.stop = context.WithCancel(context.Background())
	s.work.Go(s.tidy)
	return s
}

// Drain ends what clients wait for: questions about results are not held any more, and new work is refused.
func (s *Server) Drain() { s.stop() }

// Close ends all work. The engine and the store are the caller's to close.
func (s *Server) Close() {
	s.stop()
	s.mu.Lock()
	var ids []string
	for id := range s.sessions {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	for _, id := range ids {
		s.end(id)
	}
	// This waits until the request that has the engine gives it back. Later requests see that the server has ended.
	_ = s.alone(context.Background(), "", func() error { return nil })
	s.work.Wait()
}

const prefix = "/api/v1/"

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ours := strings.CutPrefix(r.URL.Path, prefix)
	part := strings.Split(path, "/")
	switch {
	case s.options.Loopback && !s.allowed(r) && !web.KnowsHost(r.Host, s.options.Hosts...):
		checkpoint.Write(w, &checkpoint.Fault{Status: http.StatusMisdirectedRequest, Words: fmt.Sprintf("the server is not asked for by the name %.100q; use the address that was printed", r.Host)})
	case !ours:
		checkpoint.Write(w, checkpoint.Lost("Not Found"))
	case path == "healthz" && r.Method == http.MethodGet:
		checkpoint.Write(w, map[string]string{"status": "ok"})
	case part[0] == checkpoint.Tickets && len(part) == 2: // the ticket is the key
		s.catalog.Hand(w, r, part[1])
	case !s.allowed(r):
		checkpoint.Write(w, &checkpoint.Fault{Status: http.StatusUnauthorized, Words: "the request carries no valid key: set TINKER_API_KEY to the server's token"})
	default:
		r.Body = http.MaxBytesReader(w, r.Body, s.options.MaxBody)
		s.route(w, r, part)
	}
}

// keyPrefix is what the official client wants keys to begin with.
const keyPrefix = "tml-"

// allowed compares the key of a request with the token, in a time that tells nothing of it.
func (s *Server) allowed(r *http.Request) bool {
	token, given := s.options.Token, r.Header.Get("X-Api-Key")
	if token == "" {
		return true
	}
	plain := subtle.ConstantTimeCompare([]byte(given), []byte(token))
	return plain|subtle.ConstantTimeCompare([]byte(given), []byte(keyPrefix+token)) == 1
}

// tidy ends idle sessions and frees results that are not fetched and checkpoints that have expired, as long as the
// server lives.
func (s *Server) tidy() {
	tick := time.NewTicker(max(s.options.Silence/30, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-s.life.Done():
			return
		case now := <-tick.C:
			s.expire(now)
			s.promises.Sweep()
			s.catalog.Expire(now)
			s.store.Expire(now)
		}
	}
}

// name is one that nothing else has.
func name() string {
	var b [10]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
