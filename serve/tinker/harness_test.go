package tinker

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"parley/engine"
	"parley/engine/native"
	"parley/engine/tinker/wire"
	"parley/model/modeltest"
	"parley/serve/tinker/checkpoint"
	"parley/serve/tinker/losses"
)

// tiny is the base of the server of tests.
var tiny = modeltest.Tiny()

// never is a watcher that ends nothing.
type never struct{}

func (never) Ends(int) bool { return false }

const key = "tml-secret"

func openNative(t testing.TB) *native.Engine {
	t.Helper()
	e, err := native.Open(native.Random(tiny, 3), engine.Options{Threads: 1, ScoreAsSampled: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func quick() Options {
	o := Defaults()
	o.Token, o.Hold, o.Patience, o.MaxBody = key, 5*time.Second, 200*time.Millisecond, 1<<20
	return o
}

// startServer starts a server over a folder.
func startServer(t testing.TB, dir string, o Options) (*Server, *client) {
	t.Helper()
	store, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := Base{Name: "tiny", Tokenizer: "tiny", Arch: "llama", Base: losses.Base{Vocab: tiny.Vocab, Ends: []int{0}, Watch: func([]string) (func() engine.Watcher, error) {
		return func() engine.Watcher { return never{} }, nil
	}}}
	b.Attn, b.MLP = projections(tiny.Family())
	s := New(openNative(t), b, store, o)
	l := httptest.NewServer(s)
	t.Cleanup(func() { l.Close(); s.Close(); store.Close() })
	return s, &client{TB: t, url: l.URL, key: key}
}

// A client asks as the official one does.
type client struct {
	testing.TB
	url, key string
	session  string
}

func (c *client) do(method, path string, body []byte, kind, accept string) (int, []byte, http.Header) {
	c.Helper()
	r, err := http.NewRequest(method, c.url+prefix+path, nil)
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Accept", accept)
	return c.doRequest(r, body)
}

func (c *client) doRequest(r *http.Request, body []byte) (int, []byte, http.Header) {
	c.Helper()
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("X-API-Key", c.key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		c.Fatal(err)
	}
	return answer.StatusCode, data, answer.Header
}

// post sends JSON and reads JSON.
func (c *client) post(path string, body any) (int, map[string]any) {
	c.Helper()
	data, ok := body.([]byte)
	if !ok {
		var err error
		if data, err = json.Marshal(body); err != nil {
			c.Fatal(err)
		}
	}
	status, data, _ := c.do(http.MethodPost, path, data, "application/json", "application/json")
	var out map[string]any
	if len(data) > 0 {
		if err := json.Unmarshal(data, &out); err != nil {
			c.Fatalf("%s: %q: %v", path, data, err)
		}
	}
	return status, out
}

type object = map[string]any

// begin starts a session.
func (c *client) begin() *client {
	c.Helper()
	status, out := c.post("create_session", object{"tags": []string{}, "sdk_version": "0.25.0"})
	if status != http.StatusOK {
		c.Fatalf("create_session: %d %v", status, out)
	}
	d := *c
	d.session = out["session_id"].(string)
	return &d
}

// result waits for what a request was promised.
func (c *client) result(id string, accept string) ([]byte, http.Header) {
	c.Helper()
	body, err := json.Marshal(object{"request_id": id, "allow_metadata_only": true})
	if err != nil {
		c.Fatal(err)
	}
	for {
		status, data, header := c.do(http.MethodPost, "retrieve_future", body, "application/json", accept)
		if status == http.StatusRequestTimeout {
			continue
		}
		if status != http.StatusOK {
			c.Fatalf("retrieve_future %s: %d %s", id, status, data)
		}
		return data, header
	}
}

// work posts a request and waits for its result in JSON.
func (c *client) work(path string, body any) map[string]any {
	c.Helper()
	status, out := c.post(path, body)
	if status != http.StatusOK {
		c.Fatalf("%s: %d %v", path, status, out)
	}
	data, _ := c.result(out["request_id"].(string), "application/json")
	var result map[string]any
	if err := json.Unmarshal(data, &result); err != nil {
		c.Fatal(err)
	}
	return result
}

// done is work that must succeed.
func (c *client) done(path string, body any) map[string]any {
	c.Helper()
	out := c.work(path, body)
	if words, failed := out["error"]; failed {
		c.Fatalf("%s: %v", path, words)
	}
	return out
}

// model makes one.
func (c *client) model(seq int, seed uint64) string {
	c.Helper()
	return c.done("create_model", object{"session_id": c.session, "model_seq_id": seq, "base_model": "tiny", "lora_config": object{"rank": 4, "seed": seed}})["model_id"].(string)
}

// pass takes data forward, or forward and backward.
func (c *client) pass(p wire.Pass) wire.Output {
	c.Helper()
	status, data, _ := c.do(http.MethodPost, "forward_backward", p.Encode(), proto, "application/json")
	var posted struct {
		Request string `json:"request_id"`
	}
	if err := json.Unmarshal(data, &posted); err != nil || status != http.StatusOK {
		c.Fatalf("forward_backward: %d %s", status, data)
	}
	data, header := c.result(posted.Request, proto)
	if header.Get("Content-Type") != proto {
		c.Fatalf("forward_backward: %s", data)
	}
	o, err := wire.DecodeOutput(data)
	if err != nil {
		c.Fatal(err)
	}
	return o
}

func datum(tokens []int32, targets []int64, inputs map[string][]float32) wire.Datum {
	d := wire.Datum{Tokens: tokens, Inputs: map[string]wire.Tensor{"target_tokens": wire.IntsOf(targets)}}
	for name, x := range inputs {
		d.Inputs[name] = wire.FloatsOf(x)
	}
	return d
}

// text is a datum of cross-entropy.
func text(weight float32) wire.Datum {
	return datum([]int32{1, 2, 3, 4, 5}, []int64{2, 3, 4, 5, 6}, map[string][]float32{"weights": {0, weight, weight, weight, weight}})
}

// scores are the log-probabilities of a text, which change with every parameter.
func (c *client) scores(m string, seq int) []float32 {
	c.Helper()
	return c.pass(wire.Pass{Model: m, Seq: seq, Loss: "cross_entropy", ForwardOnly: true, Data: []wire.Datum{text(1)}}).Data[0]["logprobs"].Floats
}

func (c *client) step(m string, seq int, adam object) map[string]any {
	c.Helper()
	return c.done("optim_step", object{"model_id": m, "seq_id": seq, "adam_params": adam})
}

func (c *client) draw(sampler string, seq int, params object) wire.Sample {
	c.Helper()
	status, out := c.post("asample", object{"num_samples": 2, "prompt": object{"chunks": []object{{"tokens": []int{1, 2, 3}}}}, "sampling_params": params, "sampling_session_id": sampler, "seq_id": seq})
	if status != http.StatusOK || len(out["sample_sequence_ids"].([]any)) != 2 {
		c.Fatalf("asample: %d %v", status, out)
	}
	data, header := c.result(out["request_id"].(string), proto)
	if header.Get("Content-Type") != proto {
		c.Fatalf("asample: %s", data)
	}
	s, err := wire.DecodeSample(data)
	if err != nil {
		c.Fatal(err)
	}
	return s
}

// sampler saves a model's weights to sample from.
func (c *client) sampler(m string, seq, number int) string {
	c.Helper()
	return c.done("save_weights_for_sampler", object{"model_id": m, "seq_id": seq, "sampling_session_seq_id": number})["sampling_session_id"].(string)
}

func folder(t testing.TB) string { return filepath.Join(t.TempDir(), "state") }
