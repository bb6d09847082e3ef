package openai

import (
	"net/http"

	"parley/serve"
)

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
