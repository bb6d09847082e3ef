package tinker

import (
	"net/http"
	"strings"

	"parley/serve/tinker/answer"
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
			answer.Write(w, &answer.Fault{Status: http.StatusMethodNotAllowed, Words: "the method is " + r.Method + ", expected POST"})
			return
		}
		answer.Write(w, f(r))
		return
	}
	if len(part) == 6 && part[5] == "archive" && part[0] == "training_runs" && part[2] == "checkpoints" && r.Method == http.MethodGet {
		s.catalog.Archive(w, r, part[1], part[3], part[4])
		return
	}
	answer.Write(w, s.rest(r, part))
}

// rest are the routes with names in their paths.
func (s *Server) rest(r *http.Request, part []string) any {
	const get = http.MethodGet
	switch at := r.Method + " " + part[0]; {
	case at == "GET get_server_capabilities" && len(part) == 1:
		return s.capabilities()
	case at == "GET training_runs" && len(part) == 1:
		return s.catalog.ListRuns(r)
	case at == "GET training_runs" && len(part) == 2:
		return s.catalog.Run(part[1])
	case at == "GET training_runs" && len(part) == 3 && part[2] == "checkpoints":
		return s.catalog.ListOf(part[1])
	case part[0] == "training_runs" && len(part) >= 5 && part[2] == "checkpoints":
		return s.restCheckpoint(r, part[1], part[3], part[4], strings.Join(part[5:], "/"))
	case at == "GET checkpoints" && len(part) == 1:
		return s.catalog.ListAll(r)
	case at == "GET samplers" && len(part) == 2:
		return s.getSampler(part[1])
	case at == "GET sessions" && len(part) == 1:
		return s.listSessions(r)
	case at == "GET sessions" && len(part) == 2:
		return s.getSession(part[1])
	case at == "POST sessions" && len(part) == 3 && part[2] == "finish":
		return s.finish(r, part[1])
	case at == "PUT sessions" && len(part) == 3 && part[2] == "project":
		return s.setProject(r, part[1])
	}
	if r.Method == get {
		return answer.Lost("there is nothing at %.200q", r.URL.Path)
	}
	return answer.Lost("%.20s has nothing to do at %.200q", r.Method, r.URL.Path)
}

// restCheckpoint are the routes of one checkpoint.
func (s *Server) restCheckpoint(r *http.Request, run, kind, name, what string) any {
	switch r.Method + " " + what {
	case "DELETE ":
		return s.catalog.Delete(run, kind, name)
	case "POST publish":
		return s.catalog.Publish(run, kind, name, true)
	case "DELETE publish":
		return s.catalog.Publish(run, kind, name, false)
	case "PUT ttl":
		return s.catalog.SetTTL(r, run, kind, name)
	case "GET external_weights_urls":
		return s.catalog.URLs(r, run, kind, name)
	}
	return answer.Lost("%.20s has nothing to do at %.200q", r.Method, r.URL.Path)
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
