package tinker

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/engine/tinker/wire"
	"parley/serve/tinker/checkpoint"
	"parley/serve/tinker/losses"
)

// everyRoute lists the methods and paths of a server.
func everyRoute(s *Server) []string {
	all := []string{"GET healthz", "GET " + checkpoint.Tickets + "/*", "POST retrieve_future", "GET training_runs/*/checkpoints/*/*/archive"}
	for path := range s.post() {
		all = append(all, "POST "+path)
	}
	for route := range s.named() {
		all = append(all, route)
	}
	slices.Sort(all)
	return all
}

// A prey is a server that is sent anything. Its requests go to one session, which is made again when it was ended; another client minds its own business.
type prey struct {
	testing.TB
	server  *Server
	session string
	seq     int // of the session's model
	bystander
}

// A bystander is a client that nobody has to do with.
type bystander struct {
	model  string
	seq    int
	scores []any
}

func newPrey(f *testing.F) *prey {
	store, err := checkpoint.Open(folder(f))
	if err != nil {
		f.Fatal(err)
	}
	b := Base{Name: "tiny", Base: losses.Base{Vocab: tiny.Vocab, Ends: []int{0}}}
	b.Attn, b.MLP = projections(tiny.Family())
	o := quick()
	o.Token, o.Patience, o.MaxBody, o.Models = "", time.Millisecond, 1<<16, 6
	p := &prey{TB: f, server: New(openNative(f), b, store, o)}
	f.Cleanup(func() { p.server.Close(); store.Close() })
	p.bystander.model = p.begin()
	p.scores = p.score()
	p.revive()
	return p
}

// send sends any request, and reads the answer where it is JSON.
func (p *prey) send(method, path, query, kind string, body []byte) (int, map[string]any) {
	r := httptest.NewRequest(method, "/", bytes.NewReader(body))
	r.URL.Path, r.URL.RawQuery = prefix+path, query
	r.Header.Set("Content-Type", kind)
	w := httptest.NewRecorder()
	p.server.ServeHTTP(w, r)
	var out map[string]any
	_ = json.Unmarshal(w.Body.Bytes(), &out) // some answers are empty, and some are archives
	return w.Code, out
}

func (p *prey) post(path, body string) (int, map[string]any) {
	return p.send(http.MethodPost, path, "", "application/json", []byte(body))
}

// result is what a request was promised.
func (p *prey) result(out map[string]any) (int, map[string]any) {
	id, _ := out["request_id"].(string)
	return p.post("retrieve_future", `{"request_id":"`+id+`"}`)
}

// begin makes a session with a model, which it returns.
func (p *prey) begin() string {
	p.Helper()
	_, made := p.post("create_session", `{}`)
	session, _ := made["session_id"].(string)
	_, out := p.post("create_model", `{"session_id":"`+session+`","model_seq_id":0,"lora_config":{"rank":2,"seed":1}}`)
	if _, out = p.result(out); out["model_id"] != session+":train:0" {
		p.Fatalf("a session and its model: %v, %v", made, out)
	}
	return session + ":train:0"
}

// revive makes the session anew, with a model, a checkpoint and samplers, where it or its model has ended.
func (p *prey) revive() {
	p.Helper()
	if status, _ := p.post("get_info", `{"model_id":"`+p.session+`:train:0"}`); status == http.StatusOK {
		return
	}
	p.server.end(p.session)
	p.session, p.seq = strings.TrimSuffix(p.begin(), ":train:0"), 0
	for path, body := range map[string]string{
		"save_weights":             `{"model_id":"SESSION:train:0","seq_id":NEXT,"path":"a"}`,
		"save_weights_for_sampler": `{"model_id":"SESSION:train:0","seq_id":NEXT,"sampling_session_seq_id":1}`,
	} {
		if _, out := p.result(second(p.post(path, p.fill(body)))); out["error"] != nil {
			p.Fatalf("%s: %v", path, out)
		}
	}
	p.post("create_sampling_session", p.fill(`{"session_id":"SESSION","sampling_session_seq_id":0}`))
}

func second(_ int, out map[string]any) map[string]any { return out }

// unnamed stands for the session where the length of its name counts.
const unnamed = "s-00000000000000000000"

// fill writes names of this server where a text has words for them: the session, and the next number of its model.
func (p *prey) fill(text string) string {
	if strings.Contains(text, "NEXT") {
		p.seq++
	}
	return strings.NewReplacer("SESSION", p.session, unnamed, p.session, "NEXT", strconv.Itoa(p.seq)).Replace(text)
}

// score are the log-probabilities of the bystander's model.
func (p *prey) score() []any {
	p.Helper()
	p.bystander.seq++
	_, out := p.post("forward", `{"model_id":"`+p.bystander.model+`","seq_id":`+strconv.Itoa(p.bystander.seq)+`,"forward_input":{"loss_fn":"cross_entropy","data":[
		{"model_input":{"chunks":[{"tokens":[1,2,3]}]},"loss_fn_inputs":{"target_tokens":{"data":[2,3,4],"dtype":"int64"}}}]}}`)
	_, out = p.result(out)
	outputs, _ := out["loss_fn_outputs"].([]any)
	if len(outputs) != 1 {
		p.Fatalf("the bystander's pass: %v", out)
	}
	return outputs[0].(map[string]any)["logprobs"].(map[string]any)["data"].([]any)
}

// FuzzRequests sends anything to every route: no answer is an error of the server's, results come, and a model that is none of its business stays as it
// is.
func FuzzRequests(f *testing.F) {
	p := newPrey(f)
	routes := everyRoute(p.server)
	const model = "SESSION:train:0"
	for _, seed := range []struct{ route, names, body string }{
		{"POST create_model", "", `{"session_id":"SESSION","model_seq_id":1,"lora_config":{"rank":2,"seed":5,"train_mlp":false}}`},
		{"POST forward", "", `{"forward_input":{"data":[{"loss_fn_inputs":{"target_tokens":{"data":[2,3],"dtype":"int64"}},"model_input":{"chunks":[{"tokens":[1,2]}]}}],"loss_fn":"cross_entropy"},"model_id":"SESSION:train:0","seq_id":NEXT}`},
		{"POST forward_backward", "", `{"forward_backward_input":{"data":[{"loss_fn_inputs":{"target_tokens":{"data":[2],"dtype":"int64","shape":[1,3],"sparse_crow_indices":[0,1],"sparse_col_indices":[2]}},"model_input":{"chunks":[{"tokens":[1],"type":"encoded_text"}]}}],"loss_fn":"cross_entropy"},"model_id":"SESSION:train:0","seq_id":NEXT}`},
		{"POST optim_step", "", `{"model_id":"SESSION:train:0","seq_id":NEXT,"adam_params":{"learning_rate":0.1,"weight_decay":0.1}}`},
		{"POST optim_step", "", `{"model_id":"SESSION:train:0","seq_id":7}`},
		{"POST save_weights", "", `{"model_id":"SESSION:train:0","seq_id":NEXT,"path":"b","overwrite":true,"ttl_seconds":1}`},
		{"POST save_weights_for_sampler", "", `{"model_id":"SESSION:train:0","seq_id":NEXT,"sampling_session_seq_id":3}`},
		{"POST load_weights", "", `{"session_id":"SESSION","model_seq_id":2,"path":"tinker://SESSION:train:0/weights/a","optimizer":true}`},
		{"POST load_weights", "", `{"model_id":"SESSION:train:0","seq_id":NEXT,"path":"tinker://SESSION:train:0/weights/a"}`},
		{"POST weights_info", "", `{"tinker_path":"tinker://SESSION:train:0/weights/a"}`},
		{"POST unload_model", "", `{"model_id":"SESSION:train:0"}`},
		{"POST asample", "", `{"prompt":{"chunks":[{"tokens":[1,2]}]},"sampling_params":{"max_tokens":2,"stop":[3],"seed":1,"top_k":2},"sampling_session_id":"SESSION:sample:0","seq_id":0,"prompt_logprobs":true,"topk_prompt_logprobs":2}`},
		{"POST asample", "", `{"prompt":{"chunks":[{"tokens":[1,2]}]},"sampling_params":{"max_tokens":2},"sampling_session_id":"SESSION:sample:1","seq_id":1,"num_samples":3,"topk_sample_logprobs":2}`},
		{"POST join_sampling_session", "", `{"sampling_session_id":"SESSION:sample:1"}`},
		{"POST sessions/search", "", `{"session_id":"SESSION"}`},
		{"POST session_heartbeat", "", `{"session_id":"SESSION"}`},
		{"POST retrieve_future", "", `{"request_id":"1"}`},
		{"POST sessions/*/finish", "SESSION", `{"detail":null}`},
		{"PUT sessions/*/project", "SESSION", `{"project_id":"p"}`},
		{"GET sessions/*", "SESSION", ""},
		{"GET sessions", "", "limit=1&offset=-1"},
		{"GET samplers/*", "SESSION:sample:1", ""},
		{"GET training_runs", "", "limit=99999999999999999999&offset=1"},
		{"GET training_runs/*", model, ""},
		{"GET training_runs/*/checkpoints", model, ""},
		{"GET training_runs/*/checkpoints/*/*/archive", model + " weights a", ""},
		{"GET training_runs/*/checkpoints/*/*/archive", "../" + model + " weights/.. a", ""},
		{"GET training_runs/*/checkpoints/*/*/external_weights_urls", model + " weights a", ""},
		{"PUT training_runs/*/checkpoints/*/*/ttl", model + " weights a", `{"ttl_seconds":100}`},
		{"POST training_runs/*/checkpoints/*/*/publish", model + " weights a", ""},
		{"DELETE training_runs/*/checkpoints/*/*/publish", model + " weights a", ""},
		{"DELETE training_runs/*/checkpoints/*/*", model + " weights a", ""},
		{"DELETE training_runs/*/checkpoints/*/*", ".. .. ..", ""},
		{"GET checkpoints", "", "offset=1"},
		{"GET archives/*", "..", ""},
	} {
		at := slices.Index(routes, seed.route)
		if at < 0 {
			f.Fatalf("there is no route %s", seed.route)
		}
		f.Add(uint8(at), seed.names, false, seed.body)
	}
	pass := wire.Pass{Model: unnamed + ":train:0", Seq: 1 << 20, Loss: "ppo", Data: []wire.Datum{datum([]int32{1}, []int64{2}, map[string][]float32{"logprobs": {-1}, "advantages": {1}})}}
	f.Add(uint8(slices.Index(routes, "POST forward_backward")), "", true, string(pass.Encode()))
	f.Fuzz(func(t *testing.T, route uint8, names string, packed bool, body string) {
		p.TB = t
		method, path, _ := strings.Cut(routes[int(route)%len(routes)], " ")
		for _, name := range append(strings.Split(names, " "), "", "", "") {
			path = strings.Replace(path, "*", p.fill(name), 1)
		}
		kind, query := "application/json", ""
		if packed {
			kind = proto
		}
		if method == http.MethodGet {
			query = body
		}
		status, out := p.send(method, path, query, kind, []byte(p.fill(body)))
		if status >= 500 || status == http.StatusConflict {
			t.Errorf("%s %q: %d %v", method, path, status, out)
		}
		if _, promised := out["request_id"].(string); promised && status == http.StatusOK {
			if status, out := p.result(out); status != http.StatusOK || out["category"] == "server" {
				t.Errorf("%s: the result is %d %v", path, status, out)
			}
		}
		if now := p.score(); !slices.Equal(now, p.scores) {
			t.Errorf("%s %q changed the bystander's model: %v, was %v", method, path, now, p.scores)
		}
		p.revive()
	})
}
