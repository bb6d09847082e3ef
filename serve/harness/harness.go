// Package harness is the door by which programs ask the agents of their episodes: OpenAI's protocol, as parley serve speaks it, below an address and behind a
// key of each episode.
//
//	harness.go   addresses, and what stands behind them
//	session.go   an episode: who may ask, and what is said in the place of an answer
//	exchange.go  a request and its answer, for a client that may leave, come back and ask again
//	agent.go     an agent of an episode, as a model that is served
//
// What is drawn, kept and learned is of the core, [parley/rl/rollout/harness]; who asks whom is of the program.
package harness

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"parley/rl/rollout/harness"
	"parley/serve"
	"parley/train/lineup"
)

type door struct{}

// New returns the door.
func New() harness.Door { return door{} }

// Handler implements [harness.Door].
func (door) Handler(find func(episode string) *harness.Live) http.Handler {
	return &hall{find: find, sessions: map[*harness.Live]*session{}}
}

// A Backend is one on which teams may work in programs: it has the door by which these ask their agents.
type Backend struct{ lineup.Backend }

var _ lineup.Doored = Backend{}

// Door implements [lineup.Doored].
func (Backend) Door() harness.Door { return New() }

// A hall has the sessions of the episodes that go on.
type hall struct {
	find func(episode string) *harness.Live

	mu       sync.Mutex
	sessions map[*harness.Live]*session
}

// ServeHTTP implements [http.Handler]. The address of an episode is as good as its key: of one that is no episode's nothing is said but that.
func (h *hall) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	below, _ := strings.CutPrefix(r.URL.Path, "/e/")
	episode, rest, _ := strings.Cut(below, "/")
	live := h.find(episode)
	if live == nil {
		serve.WriteJSON(w, http.StatusUnauthorized, map[string]any{"error": serve.Fail(http.StatusUnauthorized,
			"there is no such episode: make the client inside episode(e), where its address is known, or from the episode's base_url and api_key").Coded("invalid_api_key")})
		return
	}
	agent := ""
	if named, ok := strings.CutPrefix(rest, "agents/"); ok {
		agent, rest, _ = strings.Cut(named, "/")
	}
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.URL.RawPath = "/"+rest, ""
	h.session(live).handler(agent).ServeHTTP(w, inner)
}

// session is that of an episode. One that is over is forgotten: there are no answers to be asked for again.
func (h *hall) session(live *harness.Live) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[live]
	if s == nil {
		s = newSession(live)
		h.sessions[live] = s
		context.AfterFunc(live.Context(), func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			delete(h.sessions, live)
		})
	}
	return s
}
