package tinker

import (
	"net/http"
	"strings"

	"parley/serve/tinker/checkpoint"
)

// post are the routes that are one word and take a body.
func (s *Server) post() map[string]func(*http.Request) any {
	return map[string]func(*http.Request) any{
		"client/config":            s.clientConfig,
		"client/dynamic_config":    s.dynamicConfig,
		"create_session":           s.createSession,
		"session_heartbeat":        s.heartbeat,
		"telemetry":                s.telemetry,
		"create_model":             s.createModel,
		"get_info":                 s.getInfo,
		"unload_model":             s.unloadModel,
		"forward":                  func(r *http.Request) any { return s.pass(r, true) },
		"forward_backward":         func(r *http.Request) any { return s.pass(r, false) },
		"optim_step":               s.optimStep,
		"save_weights":             func(r *http.Request) any { return s.save(r, "save_weights") },
		"save_weights_for_sampler": func(r *http.Request) any { return s.save(r, "save_weights_for_sampler") },
		"save_weights_external":    func(r *http.Request) any { return s.save(r, "save_weights_external") },
		"load_weights":             s.load,
		"create_sampling_session":  s.createSampler,
		"join_sampling_session":    s.join,
		"asample":                  s.asample,
		"cancel_future":            s.cancel,
		"weights_info":             s.catalog.Info,
		"sessions/search":          s.searchSessions,
	}
}

// route finds what a request asks for. Paths are compared as they read, whether their parts were escaped or not.
func (s *Server) route(w http.ResponseWriter, r *http.Request, part []string) {
	path := strings.Join(part, "/")
	if path == "retrieve_future" && r.Method == http.MethodPost {
		s.retrieve(w, r)
		return
	}
	if f := s.post()[path]; f != nil {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			checkpoint.Write(w, &checkpoint.Fault{Status: http.StatusMethodNotAllowed, Words: "the method is " + r.Method + ", expected POST"})
			return
		}
		checkpoint.Write(w, f(r))
		return
	}
	if len(part) == 6 && part[5] == "archive" && part[0] == "training_runs" && part[2] == "checkpoints" && r.Method == http.MethodGet {
		s.catalog.Archive(w, r, part[1], part[3], part[4])
		return
	}
	do, names := s.named().Find(r.Method, part)
	switch {
	case do != nil:
		checkpoint.Write(w, do(r, names))
	case r.Method == http.MethodGet:
		checkpoint.Write(w, checkpoint.Lost("there is nothing at %.200q", r.URL.Path))
	default:
		checkpoint.Write(w, checkpoint.Lost("%.20s has nothing to do at %.200q", r.Method, r.URL.Path))
	}
}

// named are the routes with names in their paths, where * stands for one, and the others that are not posted to.
func (s *Server) named() checkpoint.Table {
	const saved = "training_runs/*/checkpoints/*/*"
	c := s.catalog
	return checkpoint.Table{
		"GET get_server_capabilities":             func(*http.Request, []string) any { return s.capabilities() },
		"GET training_runs":                       func(r *http.Request, _ []string) any { return c.ListRuns(r) },
		"GET training_runs/*":                     func(_ *http.Request, n []string) any { return c.Run(n[0]) },
		"GET training_runs/*/checkpoints":         func(_ *http.Request, n []string) any { return c.ListOf(n[0]) },
		"DELETE " + saved:                         func(_ *http.Request, n []string) any { return c.Delete(n[0], n[1], n[2]) },
		"POST " + saved + "/publish":              func(_ *http.Request, n []string) any { return c.Publish(n[0], n[1], n[2], true) },
		"DELETE " + saved + "/publish":            func(_ *http.Request, n []string) any { return c.Publish(n[0], n[1], n[2], false) },
		"PUT " + saved + "/ttl":                   func(r *http.Request, n []string) any { return c.SetTTL(r, n[0], n[1], n[2]) },
		"GET " + saved + "/external_weights_urls": func(r *http.Request, n []string) any { return c.URLs(r, n[0], n[1], n[2]) },
		"GET checkpoints":                         func(r *http.Request, _ []string) any { return c.ListAll(r) },
		"GET samplers/*":                          func(_ *http.Request, n []string) any { return s.getSampler(n[0]) },
		"GET sessions":                            func(r *http.Request, _ []string) any { return s.listSessions(r) },
		"GET sessions/*":                          func(_ *http.Request, n []string) any { return s.getSession(n[0]) },
		"POST sessions/*/finish":                  func(r *http.Request, n []string) any { return s.finish(r, n[0]) },
		"PUT sessions/*/project":                  func(r *http.Request, n []string) any { return s.setProject(r, n[0]) },
	}
}

func (s *Server) capabilities() any {
	return map[string]any{"supported_models": []any{
		map[string]any{"model_name": s.base.Name, "max_context_length": s.engine.Context(), "trainable": true, "sampleable": true},
	}}
}

// clientConfig says how the official client is to behave: the plain ways, which all of its versions have.
func (s *Server) clientConfig(r *http.Request) any {
	if _, f := read[struct{}](s, r); f != nil {
		return f
	}
	return map[string]any{
		"pjwt_auth_enabled": false, "use_pyqwest_transport": false, "parallel_fwdbwd_chunks": false, "proto_compress_fwdbwd": false,
		"create_model_via_load_weights": false,
	}
}

func (s *Server) dynamicConfig(r *http.Request) any {
	if _, f := read[struct{}](s, r); f != nil {
		return f
	}
	return map[string]any{"refresh_interval_sec": 300, "sample_cancel_enabled": true, "sample_cancel_max_batch_size": 64}
}
