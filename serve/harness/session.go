package harness

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/rl/rollout/harness"
	"parley/serve"
	"parley/serve/openai"
)

const (
	mostBody = 16 << 20
	// still is how long a stream may be silent before it says that its answer is coming.
	still = 15 * time.Second
)

// A session is an episode with what was answered in it.
type session struct {
	live    *harness.Live
	models  []serve.Model           // of the agents, in their order
	waiting map[string]http.Handler // by the agent whose address it is; empty: of all

	mu   sync.Mutex
	kept map[[sha256.Size]byte][]*exchange // by agent, route and body, in the order in which they came
}

func newSession(live *harness.Live) *session {
	s := &session{live: live, waiting: map[string]http.Handler{}, kept: map[[sha256.Size]byte][]*exchange{}}
	now := time.Now().Unix()
	for i, a := range live.Agents() {
		s.models = append(s.models, serve.Model{ID: a.Name, Created: now, Fingerprint: a.Fingerprint, Unforced: true, Answerer: newAgent(live, i, a)})
	}
	s.waiting[""] = s.open("", s.models)
	for i, m := range s.models {
		s.waiting[m.ID] = s.open(m.ID, s.models[i:i+1])
	}
	return s
}

// handler answers at the address of an agent, or of all.
func (s *session) handler(agent string) http.Handler {
	if h := s.waiting[agent]; h != nil {
		return h
	}
	return s.open(agent, nil) // which says so
}

// open makes a gate that nobody with the key is kept waiting at. At the address of an agent the request's own word for it does not matter.
func (s *session) open(agent string, models []serve.Model) http.Handler {
	g := serve.NewGate(models, serve.GateOptions{
		Token: s.live.Key(), MaxBody: mostBody, Working: math.MaxInt,
		Named: func(name string) (*serve.Model, *serve.Failure) { return s.named(cmp.Or(agent, name)) },
	})
	routes := []serve.Route{{Method: http.MethodPost, Path: "/result", Answer: s.report}}
	for _, route := range openai.New(g, still).Routes() {
		switch inner := route.Answer; route.Path {
		case "/v1/chat/completions", "/v1/responses":
			route.Answer = func(w http.ResponseWriter, r *http.Request) *serve.Failure { return s.exchange(w, r, inner, agent) }
		case "/v1/models":
		default:
			continue
		}
		routes = append(routes, route)
	}
	for i := range routes {
		answer := routes[i].Answer
		routes[i].Answer = func(w http.ResponseWriter, r *http.Request) *serve.Failure {
			if err := s.live.Over(); err != nil && r.URL.Path != "/result" { // a second result has an error of its own
				return failure(err)
			}
			return answer(w, r)
		}
		routes[i].Refuse = s.refuse
	}
	return g.Handler(routes...)
}

// named is the agent that a request asks. Whose name is nobody's is asked of nobody: there is no vendor behind the door.
func (s *session) named(name string) (*serve.Model, *serve.Failure) {
	if i, ok := s.live.Named(name); ok {
		return &s.models[i], nil
	}
	names := make([]string, len(s.models))
	for i, m := range s.models {
		names[i] = m.ID
	}
	others := "team.harness.models names none"
	if words := s.live.Others(); len(words) > 0 {
		others = "team.harness.models has " + strings.Join(words, ", ")
	}
	return nil, serve.Fail(http.StatusNotFound, "no agent is called %.200q: the agents are %s; %s", name, strings.Join(names, ", "), others).Of("model").Coded("model_not_found")
}

// refuse tells a client of a failure, and counts it.
func (s *session) refuse(w http.ResponseWriter, f *serve.Failure) {
	code := strconv.Itoa(f.Status)
	if f.Code != nil {
		code = *f.Code
	}
	s.live.Refuse(code, f.Message)
	serve.WriteJSON(w, f.Status, map[string]any{"error": f})
}

// report takes the result of a program whose output is not its own.
func (s *session) report(w http.ResponseWriter, r *http.Request) *serve.Failure {
	var result json.RawMessage
	if fault := serve.Body(r, &result); fault != nil {
		return fault
	}
	err := s.live.Report(result)
	switch {
	case errors.Is(err, harness.ErrReported):
		return serve.Fail(http.StatusBadRequest, "%v", err).Coded("already_reported")
	case errors.Is(err, harness.ErrOver):
		return failure(err)
	case err != nil:
		return serve.Fail(http.StatusBadRequest, "%v", err).Coded("invalid_result")
	}
	serve.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

// failure is what a client is told of an error. None of them goes away when it is tried again.
func failure(err error) *serve.Failure {
	switch {
	case errors.Is(err, harness.ErrTooMany):
		return serve.Fail(http.StatusForbidden, "%v", err).Coded("too_many_calls")
	case errors.Is(err, harness.ErrOver):
		return serve.Fail(http.StatusNotFound, "%v", err).Coded(harness.CodeOver).Final()
	}
	f := serve.FailureOf(err)
	if f.Status >= http.StatusInternalServerError {
		f = f.Final()
	}
	return f
}
