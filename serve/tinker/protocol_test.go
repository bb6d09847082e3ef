package tinker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/engine"
	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
)

// TestResume: a server ends in the middle, another takes its folder, and a model that is loaded from a checkpoint goes on bit for bit. What
// belonged to the session of before is an error, never a wait.
func TestResume(t *testing.T) {
	dir := folder(t)
	step := func(c *client, m string, seq int) {
		c.pass(wire.Pass{Model: m, Seq: seq, Loss: "cross_entropy", Data: []wire.Datum{text(1)}})
		c.step(m, seq+1, object{"learning_rate": 1e-2, "weight_decay": 0.1})
	}
	first, c := startServer(t, dir, quick())
	c = c.begin()
	m := c.model(0, 7)
	step(c, m, 1)
	path := c.done("save_weights", object{"model_id": m, "seq_id": 3, "path": "a"})["path"].(string)
	named := c.done("save_weights_for_sampler", object{"model_id": m, "seq_id": 4, "path": "b"})["path"].(string)
	passing := c.sampler(m, 5, 0)
	step(c, m, 6)
	want := c.scores(m, 8)
	_, pending := c.post("optim_step", object{"model_id": m, "seq_id": 9, "adam_params": object{}})
	first.Close()
	if err := first.store.Close(); err != nil {
		t.Fatal(err)
	}

	_, again := startServer(t, dir, quick())
	for name, ask := range map[string]func() (int, map[string]any){
		"a step": func() (int, map[string]any) {
			return again.post("optim_step", object{"model_id": m, "seq_id": 10, "adam_params": object{}})
		},
		"a sample":    func() (int, map[string]any) { return again.post("asample", object{"sampling_session_id": passing}) },
		"a new model": func() (int, map[string]any) { return again.post("create_model", object{"session_id": c.session}) },
	} {
		if status, out := ask(); status != http.StatusNotFound || !strings.Contains(out["detail"].(string), "started again") {
			t.Errorf("%s of before: %d %v", name, status, out)
		}
	}
	if status, _ := again.post("retrieve_future", pending); status != http.StatusGone {
		t.Errorf("a result of before: %d", status)
	}
	if status, _ := again.post("session_heartbeat", object{"session_id": c.session}); status != http.StatusGone {
		t.Errorf("a heartbeat of before: %d", status)
	}
	again = again.begin()
	for i, optimizer := range []bool{true, false} { // in the two ways that clients load
		m := again.model(i, 1)
		again.done("load_weights", object{"model_id": m, "seq_id": 1, "path": path, "optimizer": optimizer})
		step(again, m, 2)
		if got := again.scores(m, 4); slices.Equal(got, want) != optimizer {
			t.Errorf("loaded with optimizer %v: %v, want %v", optimizer, got, want)
		}
	}
	m = again.done("load_weights", object{"session_id": again.session, "model_seq_id": 2, "path": path, "optimizer": true})["model_id"].(string)
	if m != again.session+":train:2" {
		t.Errorf("the model is called %s", m)
	}
	step(again, m, 1)
	if got := again.scores(m, 3); !slices.Equal(got, want) {
		t.Errorf("made of a checkpoint: %v, want %v", got, want)
	}
	status, out := again.post("create_sampling_session", object{"session_id": again.session, "sampling_session_seq_id": 0, "model_path": named})
	if status != http.StatusOK || len(again.draw(out["sampling_session_id"].(string), 0, object{"max_tokens": 3}).Sequences) != 2 {
		t.Errorf("sample from what was saved: %d %v", status, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "passing", "draft-*")); len(left) != 0 {
		t.Errorf("of the session of before is left: %v", left)
	}
}

// TestNumbers: requests of a model are done in the order of their numbers, once each.
func TestNumbers(t *testing.T) {
	_, c := startServer(t, folder(t), quick())
	c = c.begin()
	a, b := c.model(0, 1), c.model(1, 1)
	pass := func(m string, seq int, weight float32) string {
		p := wire.Pass{Model: m, Seq: seq, Loss: "cross_entropy", Data: []wire.Datum{text(weight)}}
		status, data, _ := c.do(http.MethodPost, "forward_backward", p.Encode(), proto, "application/json")
		var out struct {
			Request string `json:"request_id"`
		}
		if err := json.Unmarshal(data, &out); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s", status, data)
		}
		return out.Request
	}
	result := func(id string) string {
		data, _ := c.result(id, "application/json")
		return string(data)
	}
	// The last piece of a batch comes first, and one comes twice.
	step := func(m string, seq int) string {
		_, out := c.post("optim_step", object{"model_id": m, "seq_id": seq, "adam_params": object{"learning_rate": 0.01}})
		return out["request_id"].(string)
	}
	last := step(a, 3)
	second, first := pass(a, 2, -0.5), pass(a, 1, 1)
	if again := pass(a, 1, 1); again != first {
		t.Errorf("the same request again is %s, was %s", again, first)
	}
	if other := result(pass(a, 1, 2)); !strings.Contains(other, `"category":"user"`) {
		t.Errorf("another request under the number: %s", other)
	}
	for _, id := range []string{pass(b, 1, 1), pass(b, 2, -0.5), step(b, 3), first, second, last} {
		if out := result(id); strings.Contains(out, "error") {
			t.Error(out)
		}
	}
	if x, y := c.scores(a, 4), c.scores(b, 4); !slices.Equal(x, y) {
		t.Errorf("%v in another order, %v in order", x, y)
	}
	// A number that never comes is given up; one that was refused is not waited for.
	begun := time.Now()
	late := c.step(a, 6, object{"learning_rate": 0.01})
	if _, failed := late["error"]; failed || time.Since(begun) < quick().Patience {
		t.Errorf("%v behind a number that never came: %v", time.Since(begun), late)
	}
	if out := c.work("optim_step", object{"model_id": a, "seq_id": 5, "adam_params": object{}}); out["category"] != "user" {
		t.Errorf("a number that was given up: %v", out)
	}
	if out := c.work("optim_step", object{"model_id": a, "seq_id": 7, "adam_params": object{"beta1": 7}}); out["category"] != "user" {
		t.Errorf("beta1 7: %v", out)
	}
	c.step(a, 8, object{})
	// A save to sample from that is repeated has another number for its sampler.
	one := c.done("save_weights_for_sampler", object{"model_id": a, "seq_id": 9, "sampling_session_seq_id": 4})
	two := c.done("save_weights_for_sampler", object{"model_id": a, "seq_id": 9, "sampling_session_seq_id": 5})
	if one["sampling_session_id"] != two["sampling_session_id"] {
		t.Errorf("%v, and again %v", one, two)
	}
}

// TestIdempotent: what makes sessions, models and samplers makes each once.
func TestIdempotent(t *testing.T) {
	s, c := startServer(t, folder(t), quick())
	create := func() string {
		r, err := http.NewRequest(http.MethodPost, c.url+prefix+"create_session", strings.NewReader(`{"tags":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", key)
		r.Header.Set("X-Idempotency-Key", "k")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var out struct {
			Session string `json:"session_id"`
		}
		if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return out.Session
	}
	if a, b := create(), create(); a != b || len(s.sessionIDs()) != 1 {
		t.Errorf("%s, and again %s", a, b)
	}
	c = c.begin()
	body := object{"session_id": c.session, "model_seq_id": 0, "base_model": "tiny", "lora_config": object{"rank": 4, "seed": 1}}
	_, one := c.post("create_model", body)
	_, two := c.post("create_model", body)
	if one["request_id"] != two["request_id"] {
		t.Errorf("%v, and again %v", one, two)
	}
	body["lora_config"] = object{"rank": 8}
	if out := c.work("create_model", body); out["category"] != "user" {
		t.Errorf("another model under the number: %v", out)
	}
	sampling := object{"session_id": c.session, "sampling_session_seq_id": 0, "base_model": "tiny"}
	_, x := c.post("create_sampling_session", sampling)
	if _, y := c.post("create_sampling_session", sampling); x["sampling_session_id"] != y["sampling_session_id"] {
		t.Errorf("%v, and again %v", x, y)
	}
	draw := object{"prompt": object{"chunks": []object{{"tokens": []int{1}}}}, "sampling_params": object{"max_tokens": 2}, "sampling_session_id": x["sampling_session_id"], "seq_id": 0}
	_, p := c.post("asample", draw)
	if _, q := c.post("asample", draw); p["request_id"] != q["request_id"] {
		t.Errorf("%v, and again %v", p, q)
	}
}

// TestAtOnce: a request that comes several times at once makes one model, and several requests at once make no more models than the server trains.
func TestAtOnce(t *testing.T) {
	const requests, rounds = 16, 25
	o := quick()
	o.Models = 3
	s, c := startServer(t, folder(t), o)
	c = c.begin()
	saved := c.done("save_weights", object{"model_id": c.model(0, 1), "seq_id": 1, "path": "a"})["path"]
	// models asks for some of the checkpoint, all at the same moment, and returns the promises, and which of them were broken.
	models := func(number func(i int) int) (ids, broken map[string]bool) {
		ids, broken = map[string]bool{}, map[string]bool{}
		var mu sync.Mutex
		var wait sync.WaitGroup
		begin := make(chan struct{})
		for i := range requests {
			wait.Go(func() {
				body, err := json.Marshal(object{"session_id": c.session, "model_seq_id": number(i), "path": saved, "optimizer": true})
				if err != nil {
					t.Error(err)
				}
				r, w := httptest.NewRequest(http.MethodPost, prefix+"load_weights", bytes.NewReader(body)), httptest.NewRecorder()
				r.Header.Set("X-API-Key", key)
				<-begin
				s.ServeHTTP(w, r)
				var out struct {
					Request string `json:"request_id"`
				}
				if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
					t.Error(err)
				}
				data, _ := c.result(out.Request, "application/json")
				mu.Lock()
				defer mu.Unlock()
				ids[out.Request] = true
				if strings.Contains(string(data), "error") {
					broken[out.Request] = true
				}
			})
		}
		close(begin)
		wait.Wait()
		return ids, broken
	}
	trained := func() []string {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Sorted(maps.Keys(s.models))
	}
	for round := range rounds {
		number := 1 + round*(requests+1)
		if ids, broken := models(func(int) int { return number }); len(ids) != 1 || len(broken) != 0 {
			t.Fatalf("one request several times got the promises %v, of which were broken %v", ids, broken)
		}
		ids, broken := models(func(i int) int { return number + 1 + i })
		if len(ids) != requests || len(broken) != requests-1 || len(trained()) != o.Models {
			t.Fatalf("%d of %d requests for models were broken, there are the models %v, expected %d", len(broken), len(ids), trained(), o.Models)
		}
		for _, id := range trained()[1:] { // all but the first
			c.done("unload_model", object{"model_id": id})
		}
	}
}

// TestSessionsEnd: a session that its client ends, or whose client is silent, takes its models and samplers with it.
func TestSessionsEnd(t *testing.T) {
	o := quick()
	o.Silence = 300 * time.Millisecond
	dir := folder(t)
	s, c := startServer(t, dir, o)
	for _, end := range []func(*client){
		func(c *client) {
			if status, _ := c.post("sessions/"+c.session+"/finish", object{"reason": object{"type": "success"}, "detail": nil}); status != http.StatusNoContent {
				t.Errorf("finish: %d", status)
			}
		},
		func(*client) { time.Sleep(2 * o.Silence) },
	} {
		c := c.begin()
		m := c.model(0, 1)
		c.draw(c.sampler(m, 1, 0), 0, object{"max_tokens": 2})
		end(c)
		if status, _ := c.post("session_heartbeat", object{"session_id": c.session}); status != http.StatusGone {
			t.Errorf("a heartbeat behind the end: %d", status)
		}
		if status, _ := c.post("get_info", object{"model_id": m}); status != http.StatusNotFound {
			t.Errorf("a model behind the end: %d", status)
		}
	}
	s.Close() // what sessions had is given back by now
	e := s.engine.(engine.Engine)
	for _, p := range []engine.Policy{"train " + engine.Policy(c.session) + ":train:0", "sample 1", "sample 2"} {
		if err := e.Save(t.Context(), p, filepath.Join(t.TempDir(), "x")); err == nil {
			t.Errorf("policy %s is still there", p)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "passing")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// TestMany: what several clients at once are answered is what each is answered alone.
func TestMany(t *testing.T) {
	const clients, rounds = 8, 3
	dir := folder(t)
	s, c := startServer(t, dir, quick())
	// round is what a client sees: log-probabilities, norms, tokens.
	life := func(c *client, number int) (seen []string) {
		m := c.model(0, uint64(number))
		seq := 0
		next := func() int { seq++; return seq }
		for round := range rounds {
			o := c.pass(wire.Pass{Model: m, Seq: next(), Loss: "cross_entropy", Data: []wire.Datum{text(float32(number + 1)), text(-0.5)}})
			seen = append(seen, fmt.Sprint(o.Data, o.Metrics))
			seen = append(seen, fmt.Sprint(c.step(m, next(), object{"learning_rate": 0.01, "weight_decay": 0.1 * float64(number)})))
			q := c.draw(c.sampler(m, next(), round), round, object{"max_tokens": 6 + number, "seed": number, "stop": []int{}, "temperature": 1 + 0.1*float64(round)})
			seen = append(seen, fmt.Sprint(q.Sequences[0].Tokens, q.Sequences[1].Logprobs))
		}
		return append(seen, fmt.Sprint(c.scores(m, next())))
	}
	var together [clients][]string
	var wait sync.WaitGroup
	for i := range clients {
		one := c.begin()
		wait.Go(func() { together[i] = life(one, i) })
	}
	wait.Wait()
	for i := range clients {
		if alone := life(c.begin(), i); !slices.Equal(alone, together[i]) {
			t.Errorf("client %d is answered in another way than alone:\n%v\n%v", i, together[i], alone)
		}
	}
	if n := s.promises.Open(); n != 0 {
		t.Errorf("%d promises are open at the end", n)
	}
}

// TestTooMany: what does not fit into the queue is told to come back, and may.
func TestTooMany(t *testing.T) {
	o := quick()
	o.Waiting = 1
	s, c := startServer(t, folder(t), o)
	c = c.begin()
	m := c.model(0, 1)
	inside, release := make(chan struct{}), make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() {
		_ = s.alone(t.Context(), "", func() error { close(inside); <-release; return nil })
	})
	<-inside
	body := func(seq int) object { return object{"model_id": m, "seq_id": seq, "adam_params": object{}} }
	_, first := c.post("optim_step", body(1))
	status, _ := c.post("optim_step", body(2))
	if status != http.StatusTooManyRequests {
		t.Errorf("a request too many: %d", status)
	}
	close(release)
	busy.Wait()
	c.result(first["request_id"].(string), "application/json")
	c.done("optim_step", body(2))
}

// TestArchive: the adapter of a checkpoint comes home, without the key, for who has its address.
func TestArchive(t *testing.T) {
	_, c := startServer(t, folder(t), quick())
	c = c.begin()
	m := c.model(0, 1)
	c.done("save_weights_for_sampler", object{"model_id": m, "seq_id": 1, "path": "x"})
	l, err := link.New(link.Server{URL: c.url, Key: key, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	err = l.FetchArchive(t.Context(), link.Request{Method: http.MethodGet, Path: "training_runs/" + m + "/checkpoints/sampler_weights%2Fx/archive", Accept: "*/*"}, dir)
	if err != nil {
		t.Fatal(err)
	}
	here := openNative(t)
	if err := here.Load(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	out, err := here.Forward(t.Context(), []engine.Datum{{Policy: "p", Tokens: []int{1, 2, 3, 4, 5, 6}, ScoreFrom: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.scores(m, 2); !slices.Equal(got, out[0].Logprobs) {
		t.Errorf("%v here, %v there", out[0].Logprobs, got)
	}
	c.key = ""
	if status, _, _ := c.do(http.MethodGet, "archives/0123", nil, "", ""); status != http.StatusNotFound {
		t.Errorf("an address that was never given: %d", status)
	}
}
