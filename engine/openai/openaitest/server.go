// Package openaitest is a server of OpenAI's protocol with vLLM's additions, for tests of its clients: it draws with an engine of this program, so that
// log-probabilities can be compared with that engine's own, bit by bit.
//
// It does what a sampler is asked for: completions of token ids with the log-probabilities that they were drawn with, and adapters that come
// and go by name and folder.
package openaitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley/engine"
	"parley/engine/openai"
)

// A Server is one.
type Server struct {
	Key string // that requests must have; empty: none
	// Lie changes the log-probabilities of every answer; nil: none.
	Lie func(logprobs []float32)

	engine engine.Engine
	base   string

	mu      sync.Mutex
	loaded  []string          // names of adapters, in the order in which they came
	folders map[string]string // that adapters have ever come from
	drawn   map[string]int    // completions by model
}

// New returns a server of a base, which it calls so.
func New(e engine.Engine, base string) *Server {
	return &Server{engine: e, base: base, folders: map[string]string{}, drawn: map[string]int{}}
}

// Loaded are the adapters that are there now.
func (s *Server) Loaded() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.loaded)
}

// Drawn is how many completions came of models whose names begin so.
func (s *Server) Drawn(prefix string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for model, k := range s.drawn {
		if strings.HasPrefix(model, prefix) {
			n += k
		}
	}
	return n
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.Key {
		refuse(w, http.StatusUnauthorized, "Unauthorized")
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "POST /v1/completions":
		s.complete(w, r)
	case "POST /v1/load_lora_adapter":
		s.load(w, r)
	case "POST /v1/unload_lora_adapter":
		s.unload(w, r)
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

// refuse answers with an error in vLLM's form, whose code is a number.
func refuse(w http.ResponseWriter, code int, message string) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "BadRequestError", "param": nil, "code": code}}) // the client has left
}

// An adapter is what is said of one.
type adapter struct {
	Name string `json:"lora_name"`
	Path string `json:"lora_path"`
}

func (s *Server) load(w http.ResponseWriter, r *http.Request) {
	var a adapter
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil || a.Name == "" {
		refuse(w, http.StatusBadRequest, "lora_name and lora_path are needed")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, path := range s.folders {
		if name == a.Name || path == a.Path {
			refuse(w, http.StatusBadRequest, fmt.Sprintf("The lora adapter %q has already been loaded, or its path has", a.Name))
			return
		}
	}
	if err := s.engine.Load(r.Context(), engine.Policy(a.Name), filepath.FromSlash(a.Path)); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.loaded, s.folders[a.Name] = append(s.loaded, a.Name), a.Path
	fmt.Fprintf(w, "Success: LoRA adapter '%s' added successfully.", a.Name)
}

func (s *Server) unload(w http.ResponseWriter, r *http.Request) {
	var a adapter
	err := json.NewDecoder(r.Body).Decode(&a)
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.loaded, a.Name)
	if err != nil || i < 0 {
		refuse(w, http.StatusNotFound, "The lora adapter cannot be found")
		return
	}
	s.loaded = slices.Delete(s.loaded, i, i+1)
	fmt.Fprintf(w, "Success: LoRA adapter '%s' removed successfully.", a.Name)
}

// policy is the one that a model's name means.
func (s *Server) policy(model string) (engine.Policy, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn[model]++
	if model == s.base {
		return engine.Base, true
	}
	return engine.Policy(model), slices.Contains(s.loaded, model)
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	var q openai.CompletionRequest
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	p, known := s.policy(q.Model)
	if !known {
		refuse(w, http.StatusNotFound, fmt.Sprintf("The model %q does not exist.", q.Model))
		return
	}
	out, err := s.engine.Sample(r.Context(), []engine.SampleRequest{{
		Policy: p, Prompt: q.Prompt, MaxTokens: q.MaxTokens, MinTokens: q.MinTokens, Stop: q.StopTokens, Seed: uint64(q.Seed) << 1,
		Sampling: engine.Sampling{Temperature: q.Temperature, TopK: q.TopK, TopP: q.TopP},
	}})
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	finish := "stop"
	if out[0].Stop == engine.StopLength {
		finish = "length"
	}
	logprobs := slices.Clone(out[0].Logprobs)
	if s.Lie != nil {
		s.Lie(logprobs)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client has left
		"object": "text_completion", "model": q.Model,
		"choices": []any{map[string]any{
			"index": 0, "text": "", "finish_reason": finish, "token_ids": out[0].Tokens, "prompt_token_ids": q.Prompt,
			"logprobs": map[string]any{"token_logprobs": logprobs},
		}},
		"usage": map[string]int{"prompt_tokens": len(q.Prompt), "completion_tokens": len(out[0].Tokens)},
	})
}
