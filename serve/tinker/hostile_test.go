package tinker

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"parley/engine/tinker/wire"
)

// twins are two equal models in one session, each with a gradient that waits for its step: what is done to the first must not show beside the other.
func twins(c *client) (a, b string) {
	a, b = c.model(0, 1), c.model(1, 1)
	for _, m := range []string{a, b} {
		c.pass(wire.Pass{Model: m, Seq: 1, Loss: "cross_entropy", Data: []wire.Datum{text(1)}})
	}
	return a, b
}

// same checks that twins still are: their next step is the same.
func same(c *client, a, b string, seqA int) {
	c.Helper()
	c.step(a, seqA, object{"learning_rate": 0.01})
	c.step(b, 2, object{"learning_rate": 0.01})
	if x, y := c.scores(a, seqA+1), c.scores(b, 3); !slices.Equal(x, y) {
		c.Errorf("something was changed: %v, untouched %v", x, y)
	}
}

// TestHostilePasses: a pass that says nonsense fails by a reason, is in nobody's way, and leaves gradients as they were.
func TestHostilePasses(t *testing.T) {
	_, c := startServer(t, folder(t), quick())
	c = c.begin()
	a, b := twins(c)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	five := []int32{1, 2, 3, 4, 5}
	rl := func(q, advantages []float32) wire.Datum {
		return datum(five, []int64{2, 3, 4, 5, 6}, map[string][]float32{"logprobs": q, "advantages": advantages})
	}
	ones := []float32{1, 1, 1, 1, 1}
	passes := []wire.Pass{
		{Loss: "gspo", Data: []wire.Datum{text(1)}},
		{Loss: "custom", Data: []wire.Datum{text(1)}},
		{Loss: "", Data: []wire.Datum{text(1)}},
		{Loss: "cross_entropy"},
		{Loss: "cross_entropy", Config: map[string]float64{"beta": 1}, Data: []wire.Datum{text(1)}},
		{Loss: "ppo", Config: map[string]float64{"clip_low_threshold": math.NaN()}, Data: []wire.Datum{rl(ones, ones)}},
		{Loss: "cross_entropy", Data: []wire.Datum{text(1), text(nan)}},
		{Loss: "cross_entropy", Data: []wire.Datum{text(1), text(inf)}},
		{Loss: "cross_entropy", Data: []wire.Datum{text(1), {Tokens: five}}},
		{Loss: "cross_entropy", Data: []wire.Datum{text(1), datum(five, []int64{1}, nil)}},
		{Loss: "cross_entropy", Data: []wire.Datum{text(1), datum([]int32{-1}, []int64{1}, nil)}},
		{Loss: "cross_entropy", Data: []wire.Datum{text(1), datum([]int32{1}, []int64{29}, nil)}},
		{Loss: "cross_entropy", Data: []wire.Datum{text(1), datum(make([]int32, 64), make([]int64, 64), nil)}},
		{Loss: "ppo", Data: []wire.Datum{text(1)}},
		{Loss: "importance_sampling", Data: []wire.Datum{rl([]float32{-1e30, -1, -1, -1, -1}, ones)}}, // a ratio that is infinite
		{Loss: "cispo", Config: map[string]float64{"clip_high_threshold": 1e300}, Data: []wire.Datum{rl([]float32{-700, -1, -1, -1, -1}, ones)}},
		{Loss: "dro", Config: map[string]float64{"beta": 1e38}, Data: []wire.Datum{rl([]float32{-1e38, -1, -1, -1, -1}, ones)}},
		{Loss: "nonsense", ForwardOnly: true, Data: []wire.Datum{text(1)}},
	}
	seq := 2
	post := func(body []byte) map[string]any {
		t.Helper()
		status, data, _ := c.do(http.MethodPost, "forward_backward", body, proto, "application/json")
		var out map[string]any
		if err := json.Unmarshal(data, &out); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s", status, data)
		}
		data, _ = c.result(out["request_id"].(string), "application/json")
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for i, p := range passes {
		p.Model, p.Seq = a, seq
		seq++
		if out := post(p.Encode()); out["category"] != "user" {
			t.Errorf("pass %d: %v", i, out)
		}
	}
	// A message that ends in the middle of a datum has said whose it is: its number is used up.
	p := wire.Pass{Model: a, Seq: seq, Loss: "cross_entropy", Data: []wire.Datum{text(1)}}
	whole := p.Encode()
	if out := post(whole[:len(whole)-1]); out["category"] != "user" {
		t.Errorf("half a pass: %v", out)
	}
	same(c, a, b, seq+1)
}

// TestHostileRequests: everything else that a client may say wrong is an error of the client's, told at once or as a result, and changes nothing.
func TestHostileRequests(t *testing.T) {
	s, c := startServer(t, folder(t), quick())
	c = c.begin()
	a, b := twins(c)
	seq := 1
	next := func() int { seq++; return seq }
	sampling := c.session + ":sample:9"
	c.post("create_sampling_session", object{"session_id": c.session, "sampling_session_seq_id": 9, "base_model": "tiny"})
	prompt := object{"chunks": []object{{"tokens": []int{1, 2}}}}
	draw := func(params object) object {
		return object{"prompt": prompt, "sampling_params": params, "sampling_session_id": sampling}
	}
	steps := []object{
		{"learning_rate": -1}, {"learning_rate": 1e300}, {"beta1": 1}, {"beta2": -0.5}, {"eps": 0}, {"eps": -1}, {"weight_decay": -1}, {"grad_clip_norm": -1},
	}
	for _, adam := range steps {
		if out := c.work("optim_step", object{"model_id": a, "seq_id": next(), "adam_params": adam}); out["category"] != "user" {
			t.Errorf("step %v: %v", adam, out)
		}
	}
	for _, one := range []struct {
		path string
		body object
	}{
		{"optim_step", object{"model_id": a, "seq_id": next(), "optimizer_params": object{"type": "dimuon"}}},
		{"optim_step", object{"model_id": a, "adam_params": object{}}},
		{"optim_step", object{"model_id": a, "seq_id": -4, "adam_params": object{}}},
		{"optim_step", object{"model_id": a, "seq_id": math.MaxInt64, "adam_params": object{}}}, // no number would follow it
		{"save_weights", object{"model_id": a, "seq_id": next(), "path": "../x"}},
		{"save_weights", object{"model_id": a, "seq_id": next(), "path": "a/b"}},
		{"save_weights", object{"model_id": a, "seq_id": next(), "path": ".hidden"}},
		{"save_weights", object{"model_id": a, "seq_id": next(), "path": strings.Repeat("x", 200)}},
		{"save_weights", object{"model_id": a, "seq_id": next(), "path": "x\x00y"}},
		{"save_weights", object{"model_id": a, "seq_id": next(), "path": "t", "ttl_seconds": -1}},
		{"save_weights_external", object{"model_id": a, "seq_id": next(), "path": "t", "age_encryption_recipients": []string{"age1"}}},
		{"save_weights_for_sampler", object{"model_id": a, "seq_id": next(), "sampling_session_seq_id": -1}},
		{"save_weights_for_sampler", object{"model_id": a, "seq_id": next(), "sampling_session_seq_id": 9}},
		{"load_weights", object{"model_id": a, "seq_id": next(), "path": "tinker://../weights/x"}},
		{"load_weights", object{"model_id": a, "seq_id": next(), "path": "tinker://" + a + "/weights/never"}},
		{"load_weights", object{"model_id": a, "seq_id": next(), "path": "/etc/passwd"}},
		{"load_weights", object{"session_id": c.session, "model_seq_id": 7, "path": "tinker://" + a + "/weights/never"}},
		{"create_model", object{"session_id": c.session, "model_seq_id": 8, "base_model": "another"}},
		{"create_model", object{"session_id": c.session, "model_seq_id": 9, "lora_config": object{"rank": -1}}},
		{"create_model", object{"session_id": c.session, "model_seq_id": 10, "lora_config": object{"rank": 1 << 30}}},
		{"create_model", object{"session_id": c.session, "model_seq_id": 11, "lora_config": object{"rank": 4, "alpha": -1}}},
		{"create_model", object{"session_id": c.session, "model_seq_id": 12, "lora_config": object{"rank": 4, "train_mlp": false, "train_attn": false}}},
		{"create_model", object{"session_id": c.session, "model_seq_id": 13, "optimizer_config": object{"type": "dimuon"}}},
		{"create_model", object{"session_id": c.session, "model_seq_id": 14, "model_role": "critic"}},
		{"create_model", object{"session_id": c.session, "model_seq_id": 0}},
		{"asample", draw(object{"max_tokens": 1 << 20})},
		{"asample", draw(object{"max_tokens": 0})},
		{"asample", draw(object{"temperature": -1})},
		{"asample", draw(object{"top_k": -5})},
		{"asample", draw(object{"top_p": 0})},
		{"asample", draw(object{"top_p": 1.5})},
		{"asample", object{"prompt": object{"chunks": []object{}}, "sampling_session_id": sampling}},
		{"asample", object{"prompt": object{"chunks": []object{{"tokens": []int{1000}}}}, "sampling_session_id": sampling}},
		{"asample", object{"prompt": object{"chunks": []object{{"tokens": []int{-1}}}}, "sampling_session_id": sampling}},
		{"asample", object{"prompt": object{"chunks": []object{{"type": "image", "data": ""}}}, "sampling_session_id": sampling}},
		{"asample", object{"prompt": object{"chunks": []object{{"tokens": make([]int, 64)}}}, "sampling_session_id": sampling}},
		{"asample", object{"prompt": prompt, "sampling_session_id": sampling, "num_samples": 0}},
		{"asample", object{"prompt": prompt, "sampling_session_id": sampling, "num_samples": 1 << 30}},
		{"asample", object{"prompt": prompt, "sampling_session_id": sampling, "topk_prompt_logprobs": 1 << 30}},
		{"asample", object{"prompt": prompt, "sampling_session_id": sampling, "prompt_alt_tokens_k": 2}},
	} {
		if out := c.work(one.path, one.body); out["category"] != "user" {
			t.Errorf("%s %v: %v", one.path, one.body, out)
		}
	}
	refusals := []struct {
		path, body string
		status     int
	}{
		{"optim_step", `{`, 422},
		{"optim_step", `[]`, 422},
		{"optim_step", strings.Repeat("[", 1<<17), 422},
		{"optim_step", `{"model_id":7}`, 422},
		{"optim_step", `{"model_id":"s-1:train:0","seq_id":1,"adam_params":{}}`, 404},
		{"optim_step", `{"model_id":"` + a + `","seq_id":99999999999999999999}`, 422},
		{"get_info", `{"model_id":"../../x"}`, 404},
		{"forward_backward", `{"model_id":"` + a + `"}`, 422},
		{"forward_backward", `{"model_id":"x","seq_id":1,"forward_backward_input":{}}`, 404},
		{"create_model", `{"session_id":"s-x"}`, 404},
		{"create_model", `{"session_id":"` + c.session + `","model_seq_id":-1}`, 422},
		{"create_model", `{"session_id":"` + c.session + `","model_seq_id":3,"lora_config":{"rank":4,"seed":-1}}`, 422},
		{"create_model", `{"session_id":"` + c.session + `","model_seq_id":3,"lora_config":{"rank":4,"seed":18446744073709551616}}`, 422},
		{"create_sampling_session", `{"session_id":"` + c.session + `","sampling_session_seq_id":3,"model_path":"tinker://a/b"}`, 422},
		{"create_sampling_session", `{"session_id":"` + c.session + `","sampling_session_seq_id":3,"base_model":"x"}`, 422},
		{"create_sampling_session", `{"session_id":"` + c.session + `"}`, 422},
		{"create_session", `{"tags":["` + strings.Repeat("x", 100<<10) + `"]}`, 422},
		{"asample", `{"sampling_session_id":"s-1:sample:0"}`, 404},
		{"asample", `{"sampling_session_id":"` + sampling + `","sampling_params":{"seed":-4}}`, 422},
		{"asample", `{"sampling_session_id":"` + sampling + `","sampling_params":{"stop":[1,"x"]}}`, 422},
		{"retrieve_future", `{"request_id":"1"}`, 404},
		{"retrieve_future", `{"request_id":1}`, 422},
		{"retrieve_future", `{"request_id":"` + strings.Repeat("f", 16) + `-1"}`, 410},
		{"session_heartbeat", `{"session_id":"x"}`, 410},
		{"weights_info", `{"tinker_path":"tinker://x/weights/../../y"}`, 404},
		{"nothing/of/the/kind", `{}`, 404},
		{"", `{}`, 404},
	}
	for _, one := range refusals {
		if status, out := c.post(one.path, []byte(one.body)); status != one.status || out["detail"] == "" {
			t.Errorf("%s %.80s: %d %v, want %d", one.path, one.body, status, out, one.status)
		}
	}
	others := []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "optim_step", 405},
		{http.MethodDelete, "training_runs/" + a, 404},
		{http.MethodDelete, "training_runs/" + a + "/checkpoints/weights/..", 404},
		{http.MethodGet, "training_runs/..%2F..%2Fetc", 404},
		{http.MethodGet, "training_runs/" + a + "/checkpoints/weights/x/archive", 404},
		{http.MethodGet, "training_runs/" + a + "/checkpoints/..%2F..%2Fweights/x/archive", 404},
		{http.MethodPut, "training_runs/" + a + "/checkpoints/weights/x/ttl", 422},
		{http.MethodGet, "sessions/x", 404},
		{http.MethodGet, "samplers/x", 404},
		{http.MethodGet, "archives/x", 404},
		{http.MethodGet, "audit", 404},
	}
	for _, one := range others {
		if status, data, _ := c.do(one.method, one.path, nil, "", ""); status != one.status {
			t.Errorf("%s %s: %d %s, want %d", one.method, one.path, status, data, one.status)
		}
	}
	if runs, err := s.store.Runs(); err != nil || len(runs) != 2 || len(s.store.Of(a)) != 0 {
		t.Errorf("%d runs, checkpoints %v, %v", len(runs), s.store.Of(a), err)
	}
	same(c, a, b, next())
}

// TestSamplersOfASession: a session has a bounded number of samplers; one that it has already is not one more.
func TestSamplersOfASession(t *testing.T) {
	s, c := startServer(t, folder(t), quick())
	c = c.begin()
	s.mu.Lock()
	for i := range mostSamplers - 1 {
		s.sessions[c.session].samplers[1000+i] = ""
	}
	s.mu.Unlock()
	for i, want := range []int{http.StatusOK, http.StatusUnprocessableEntity} {
		for range 2 {
			status, out := c.post("create_sampling_session", object{"session_id": c.session, "sampling_session_seq_id": i})
			if status != want {
				t.Errorf("sampler %d: %d %v, want %d", i, status, out, want)
			}
		}
	}
}

// TestRunaway: steps that are far too long end in an error of who takes them. Whatever their model is then, nobody else notices, and the server goes on.
func TestRunaway(t *testing.T) {
	_, c := startServer(t, folder(t), quick())
	other := c.begin()
	bystander := other.model(0, 1)
	want := other.scores(bystander, 1)
	for i, adam := range []object{
		{"learning_rate": 1e6},
		{"learning_rate": 1e30},
		{"learning_rate": 1e38, "weight_decay": 1e6},
		{"learning_rate": 1e-3, "weight_decay": 1e38},
		{"learning_rate": 1, "eps": 1e-300},
		{"learning_rate": 1e20, "beta1": 0, "beta2": 0},
	} {
		c := c.begin()
		m := c.model(0, 1)
		seq := 0
		next := func() int { seq++; return seq }
		fine := func(what string, out map[string]any) bool {
			words, failed := out["error"]
			if failed && out["category"] != "user" {
				t.Errorf("steps of %v: %s: %v (%v)", adam, what, words, out["category"])
			}
			return !failed
		}
		for range 4 {
			p := object{"model_id": m, "seq_id": next(), "forward_backward_input": object{"loss_fn": "cross_entropy", "data": []object{{
				"model_input":    object{"chunks": []object{{"tokens": []int{1, 2, 3}}}},
				"loss_fn_inputs": object{"target_tokens": object{"data": []int{2, 3, 4}, "dtype": "int64"}},
			}}}}
			fine("a pass", c.work("forward_backward", p))
			fine("a step", c.work("optim_step", object{"model_id": m, "seq_id": next(), "adam_params": adam}))
		}
		saved := c.work("save_weights_for_sampler", object{"model_id": m, "seq_id": next(), "sampling_session_seq_id": 0})
		if fine("a save to sample from", saved) {
			draw := object{"prompt": object{"chunks": []object{{"tokens": []int{1, 2}}}}, "sampling_params": object{"max_tokens": 4}, "sampling_session_id": saved["sampling_session_id"]}
			fine("a completion", c.work("asample", draw))
			draw["prompt_logprobs"], draw["topk_prompt_logprobs"], draw["topk_sample_logprobs"] = true, 3, 3
			fine("a completion with alternatives", c.work("asample", draw))
		}
		if kept := c.work("save_weights", object{"model_id": m, "seq_id": next(), "path": "x"}); fine("a save", kept) {
			fine("a load", c.work("load_weights", object{"model_id": m, "seq_id": next(), "path": kept["path"], "optimizer": true}))
		}
		if got := other.scores(bystander, 2+i); !slices.Equal(got, want) {
			t.Errorf("steps of %v: another client's model gives %v, gave %v", adam, got, want)
		}
	}
}

// TestKeys: nothing but healthz answers who has no key.
func TestKeys(t *testing.T) {
	_, c := startServer(t, folder(t), quick())
	for _, given := range []string{"", "tml-", "tml-x", key + "x", key[:len(key)-1]} {
		c.key = given
		for _, path := range []string{"create_session", "optim_step", "retrieve_future", "client/config", "nothing"} {
			if status, out := c.post(path, object{}); status != http.StatusUnauthorized {
				t.Errorf("%q at %s: %d %v", given, path, status, out)
			}
		}
		if status, _, _ := c.do(http.MethodGet, "get_server_capabilities", nil, "", ""); status != http.StatusUnauthorized {
			t.Errorf("%q: %d", given, status)
		}
		if status, _, _ := c.do(http.MethodGet, "healthz", nil, "", ""); status != http.StatusOK {
			t.Errorf("healthz: %d", status)
		}
	}
	for _, given := range []string{key, "tml-" + key} {
		if c.key = given; c.begin().session == "" {
			t.Errorf("%q is no key", given)
		}
	}
}

// TestLargeBodies: a body that is too long, plain or unpacked, is refused without being held in memory.
func TestLargeBodies(t *testing.T) {
	_, c := startServer(t, folder(t), quick())
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := z.EncodeAll(make([]byte, 64<<20), nil)
	for name, one := range map[string]struct {
		body   []byte
		packed string
		status int
	}{
		"long":    {make([]byte, 2<<20), "", 413},
		"bomb":    {bomb, "zstd", 413},
		"no zstd": {[]byte("{}"), "zstd", 422},
		"gzip":    {[]byte("{}"), "gzip", 415},
	} {
		for _, path := range []string{"forward_backward", "optim_step", "asample"} {
			r, err := http.NewRequest(http.MethodPost, c.url+prefix+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if one.packed != "" {
				r.Header.Set("Content-Encoding", one.packed)
			}
			if status, data, _ := c.doRequest(r, one.body); status != one.status {
				t.Errorf("%s to %s: %d %s", name, path, status, data)
			}
		}
	}
}

// TestFullServer: models beyond the number that the server trains are refused, and may come when others have gone.
func TestFullServer(t *testing.T) {
	o := quick()
	o.Models = 1
	_, c := startServer(t, folder(t), o)
	c = c.begin()
	m := c.model(0, 1)
	body := func(seq int) object {
		return object{"session_id": c.session, "model_seq_id": seq, "lora_config": object{"rank": 4}}
	}
	if out := c.work("create_model", body(1)); out["category"] != "user" {
		t.Errorf("a second model: %v", out)
	}
	c.done("unload_model", object{"model_id": m})
	c.done("create_model", body(1))
}
