// Package ollama is a server that speaks the protocol of Ollama, for tools that speak no other.
//
//	ollama.go   routes; what is served
//	request.go  bodies, and what they ask for
//	answer.go   /api/chat and /api/generate, whole or as a JSON object a line
//
// Requests pass the gate of package serve as those of OpenAI's protocol do: they need the same token. What a team says in its turns is the
// thinking of its answer.
package ollama

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"parley/serve"
)

// A Server answers for the models behind a gate.
type Server struct {
	gate    *serve.Gate
	version string
}

// New returns a server behind a gate. version is what it says that it is.
func New(g *serve.Gate, version string) *Server { return &Server{g, version} }

// Routes are all that the protocol has here.
func (s *Server) Routes() []serve.Route {
	routes := []serve.Route{
		{Method: http.MethodPost, Path: "/api/chat", Answer: s.chat},
		{Method: http.MethodPost, Path: "/api/generate", Answer: s.generate},
		{Method: http.MethodGet, Path: "/api/tags", Answer: s.tags},
		{Method: http.MethodGet, Path: "/api/ps", Answer: s.tags}, // all that is served is in memory
		{Method: http.MethodPost, Path: "/api/show", Answer: s.show},
		{Method: http.MethodGet, Path: "/api/version", Answer: s.tell},
	}
	for i := range routes {
		routes[i].Refuse = refuse
	}
	return routes
}

// refuse writes a failure as this protocol has it: a sentence.
func refuse(w http.ResponseWriter, f *serve.Failure) {
	serve.WriteJSON(w, f.Status, map[string]string{"error": f.Message})
}

func (s *Server) tell(w http.ResponseWriter, _ *http.Request) *serve.Failure {
	serve.WriteJSON(w, http.StatusOK, map[string]string{"version": s.version})
	return nil
}

// model is the one of a name. Tools of Ollama say :latest behind a name without a tag.
func (s *Server) model(name string) (*serve.Model, *serve.Failure) {
	for i, m := range s.gate.Models() {
		if m.ID+":latest" == name {
			return &s.gate.Models()[i], nil
		}
	}
	return s.gate.Model(name)
}

// tags lists what is served.
func (s *Server) tags(w http.ResponseWriter, _ *http.Request) *serve.Failure {
	list := []any{}
	for _, m := range s.gate.Models() {
		digest := sha256.Sum256([]byte(m.ID + "\n" + m.Fingerprint))
		list = append(list, map[string]any{
			"name": m.ID, "model": m.ID, "modified_at": time.Unix(m.Created, 0).UTC(), "size": 0, "digest": hex.EncodeToString(digest[:]), "details": details(),
		})
	}
	serve.WriteJSON(w, http.StatusOK, map[string]any{"models": list})
	return nil
}

// show describes one.
func (s *Server) show(w http.ResponseWriter, r *http.Request) *serve.Failure {
	var req struct {
		Model string `json:"model"`
		Name  string `json:"name"` // as older tools call it
	}
	if fault := serve.Body(r, &req); fault != nil {
		return fault
	}
	if req.Model == "" {
		req.Model = req.Name
	}
	m, fault := s.model(req.Model)
	if fault != nil {
		return fault
	}
	able := []string{"completion"}
	if _, several := m.Answerer.(*serve.Team); several {
		able = append(able, "thinking")
	}
	serve.WriteJSON(w, http.StatusOK, map[string]any{
		"modelfile": "", "parameters": "", "template": "", "details": details(), "model_info": map[string]any{"general.architecture": "parley"},
		"capabilities": able, "modified_at": time.Unix(m.Created, 0).UTC(),
	})
	return nil
}

// details are of the file that a model is; here it is none.
func details() map[string]any {
	return map[string]any{"parent_model": "", "format": "", "family": "parley", "families": []string{"parley"}, "parameter_size": "", "quantization_level": ""}
}
