package openai

import (
	"net/http"

	"parley/serve"
)

func (s *Server) list(w http.ResponseWriter, _ *http.Request) *failure {
	data := make([]any, len(s.models))
	for i := range s.models {
		data[i] = description(&s.models[i])
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
	return nil
}

func (s *Server) describe(w http.ResponseWriter, r *http.Request) *failure {
	m, fault := s.model(r.PathValue("id"))
	if fault == nil {
		writeJSON(w, http.StatusOK, description(m))
	}
	return fault
}

func description(m *serve.Model) any {
	return map[string]any{"id": m.ID, "object": "model", "created": m.Created, "owned_by": "parley"}
}
