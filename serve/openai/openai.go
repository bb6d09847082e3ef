// Package openai is a server that speaks OpenAI's protocol, as clients of it expect in practice.
//
//	openai.go       routes, and answers of two kinds: whole, and piece by piece; /v1/models
//	fields.go       conversations in bodies
//	others.go       parameters that are refused
//	sampling.go     parameters that routes share
//	chat.go         /v1/chat/completions, whole
//	stream.go       and piece by piece
//	logprobs.go     log-probabilities of the tokens of an answer; spoken.go says which were told while it is drawn
//	completions.go  /v1/completions: texts and token ids that are no conversation; parts.go is a stream of them
//	responses.go    /v1/responses, without state, whole
//	typed.go        and piece by piece, in events with types
//
// What every request passes is the gate of package serve. What a team says in its turns is the reasoning of its answer. A client that leaves
// stops its sampling within a step.
package openai

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"parley/serve"
)

// A Server answers for the models behind a gate.
type Server struct {
	gate *serve.Gate
	// still is how long an answer may be silent before a comment says that it is coming.
	still time.Duration
	// encoding has room for the prompts that are made tokens at a time, before it is their turn to be answered: a long one takes much memory.
	encoding chan struct{}
}

// New returns a server behind a gate. An answer that is silent for a while says that it is coming.
func New(g *serve.Gate, still time.Duration) *Server {
	return &Server{g, still, make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// Routes are all that the protocol has here.
func (s *Server) Routes() []serve.Route {
	return []serve.Route{
		{Method: http.MethodPost, Path: "/v1/chat/completions", Answer: s.chat},
		{Method: http.MethodPost, Path: "/v1/completions", Answer: s.complete},
		{Method: http.MethodPost, Path: "/v1/responses", Answer: s.respond},
		{Method: http.MethodGet, Path: "/v1/models", Answer: s.list},
		{Method: http.MethodGet, Path: "/v1/models/{id...}", Answer: s.describe},
	}
}

// whole answers a request at once.
func (s *Server) whole(w http.ResponseWriter, r *http.Request, user string, answer func(context.Context) (any, error)) *serve.Failure {
	return s.gate.Work(r, user, func(ctx context.Context) error {
		body, err := answer(ctx)
		if err == nil {
			serve.WriteJSON(w, http.StatusOK, body)
		}
		return err
	})
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) *serve.Failure {
	models := s.gate.Models()
	data := make([]any, len(models))
	for i := range models {
		data[i] = description(&models[i])
	}
	serve.WriteJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
	return nil
}

func (s *Server) describe(w http.ResponseWriter, r *http.Request) *serve.Failure {
	m, fault := s.gate.Model(r.PathValue("id"))
	if fault == nil {
		serve.WriteJSON(w, http.StatusOK, description(m))
	}
	return fault
}

func description(m *serve.Model) any {
	return map[string]any{"id": m.ID, "object": "model", "created": m.Created, "owned_by": "parley"}
}
