package openai_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/engine"
	"parley/engine/enginetest"
	"parley/engine/native"
	"parley/engine/openai"
	"parley/engine/openai/openaitest"
	"parley/model/modeltest"
)

var tiny = modeltest.Tiny()

func openNative(t testing.TB) *native.Engine {
	t.Helper()
	e, err := native.Open(native.Random(tiny, 3), engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// dial opens an engine that samples at an address and trains here.
func dial(t testing.TB, url, folder string) *openai.Engine {
	t.Helper()
	p, err := openai.OpenPool(openai.PoolOptions{Together: 8})
	if err != nil {
		t.Fatal(err)
	}
	s := p.Server(openai.Address{URL: url + "/v1", Key: "secret", Deadline: time.Minute, Retries: 1}).Quick()
	e, err := openai.Open(t.Context(), openNative(t), openai.Settings{Server: s, Model: "tiny", Folder: folder, Together: 8, MostGap: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func serve(t testing.TB) (*openaitest.Server, string) {
	t.Helper()
	s := openaitest.New(openNative(t), "tiny")
	s.Key = "secret"
	l := httptest.NewServer(s)
	t.Cleanup(l.Close)
	return s, l.URL
}

// TestConformance runs the suite of all engines, with a sampler behind a server.
func TestConformance(t *testing.T) {
	enginetest.Conformance(t, func(t *testing.T) engine.Engine {
		_, url := serve(t)
		e := dial(t, url, t.TempDir())
		t.Cleanup(func() { e.Close() })
		return e
	}, tiny.Vocab)
}

// learn samples from a policy and takes a step on what it drew.
func learn(t *testing.T, e *openai.Engine, p engine.Policy, seed uint64) (engine.Sample, error) {
	t.Helper()
	how := engine.Sampling{Temperature: 0.7, TopK: 20}
	prompt := []int{1, 2, 3, 4}
	out, err := e.Sample(t.Context(), []engine.SampleRequest{{Policy: p, Prompt: prompt, MaxTokens: 6, Sampling: how, Seed: seed}})
	if err != nil {
		t.Fatal(err)
	}
	d := engine.Datum{Policy: p, Tokens: append(prompt[:4:4], out[0].Tokens...), ScoreFrom: 4, Sampling: how}
	err = e.ForwardBackward(t.Context(), []engine.Datum{d}, func(_ int, o []engine.Output) ([]engine.Gradient, error) {
		g := make([]float32, len(o[0].Logprobs))
		for i := range g {
			g[i] = -1
		}
		return []engine.Gradient{{Logprobs: g}}, nil
	})
	if err == nil {
		_, err = e.Step(t.Context(), p, engine.Adam{LR: 0.05, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8})
	}
	return out[0], err
}

// TestUpdates: after every step the server has the new version under a new name, the one before is gone there and on disk, and what it draws has the
// log-probabilities that are trained with, bit for bit.
func TestUpdates(t *testing.T) {
	s, url := serve(t)
	folder := t.TempDir()
	e := dial(t, url, folder)
	for _, p := range []engine.Policy{"a", "b"} {
		if err := e.NewPolicy(t.Context(), p, engine.PolicySpec{Rank: 2, Alpha: 4, Seed: 1}); err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]bool{}
	var before engine.Sample
	for update := range 3 {
		for _, p := range []engine.Policy{"a", "b"} {
			drawn, err := learn(t, e, p, 7)
			if err != nil {
				t.Fatal(err)
			}
			if p == "a" && update > 0 && drawn.Logprobs[0] == before.Logprobs[0] {
				t.Error("the server has not learned")
			}
			if p == "a" {
				before = drawn
			}
			if gap, ok := e.Gap(); !ok || gap != (engine.Gap{Tokens: 6}) {
				t.Errorf("gap %+v, %v, want none of 6 tokens", gap, ok)
			}
		}
		for _, name := range s.Loaded() {
			names[name] = true
		}
		if on, err := os.ReadDir(folder); err != nil || len(on) != 2 || len(s.Loaded()) != 2 {
			t.Errorf("update %d: %v on disk, %v loaded, %v", update, on, s.Loaded(), err)
		}
	}
	if len(names) != 6 {
		t.Errorf("%v, want six names", names)
	}
	if _, err := e.Sample(t.Context(), []engine.SampleRequest{{Policy: "c", Prompt: []int{1}, MaxTokens: 1}}); err == nil {
		t.Error("a policy that nobody made was drawn from")
	}
	if err := e.Close(); err != nil || len(s.Loaded()) != 0 {
		t.Errorf("%v; %v are left", err, s.Loaded())
	}
	if on, _ := os.ReadDir(folder); len(on) != 0 {
		t.Errorf("%v are left on disk", on)
	}
}

// TestPin: while policies are pinned, the versions of then are drawn from, whatever is trained.
func TestPin(t *testing.T) {
	_, url := serve(t)
	e := dial(t, url, t.TempDir())
	defer e.Close()
	if err := e.NewPolicy(t.Context(), "a", engine.PolicySpec{Rank: 2, Alpha: 4, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	release, err := e.Pin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first, err := learn(t, e, "a", 7)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := learn(t, e, "a", 7)
	release()
	third, _ := learn(t, e, "a", 7)
	if first.Logprobs[0] != second.Logprobs[0] || first.Logprobs[0] == third.Logprobs[0] {
		t.Errorf("%v, %v, %v", first.Logprobs, second.Logprobs, third.Logprobs)
	}
}

// TestGap: a sampler with other log-probabilities than are trained with is found out at the first update.
func TestGap(t *testing.T) {
	s, url := serve(t)
	e := dial(t, url, t.TempDir())
	defer e.Close()
	if err := e.NewPolicy(t.Context(), "a", engine.PolicySpec{Rank: 2, Alpha: 4, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	s.Lie = func(lps []float32) { lps[0] -= 0.03 }
	if _, err := learn(t, e, "a", 7); err != nil {
		t.Errorf("0.005 a token: %v", err)
	}
	if gap, _ := e.Gap(); gap.Tokens != 6 || gap.Most < 0.0299 || gap.Most > 0.0301 || gap.Mean < 0.0049 || gap.Mean > 0.0051 || gap.Divergence != -gap.Mean {
		t.Errorf("gap %+v", gap)
	}
	s.Lie = func(lps []float32) { lps[0] -= 0.3 }
	if _, err := learn(t, e, "a", 8); err == nil || !strings.Contains(err.Error(), "differ by 0.05 nats a token") {
		t.Errorf("%v", err)
	}
}

// TestHostileSamplers: whatever a server does, there is an error that says what happened, and no sample; the token stays at home.
func TestHostileSamplers(t *testing.T) {
	var strangers atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	defer elsewhere.Close()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"floods": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 5<<20)) }, "more than 4194304 bytes"},
		"stalls": {func(_ http.ResponseWriter, r *http.Request) { time.Sleep(400 * time.Millisecond) }, "no answer within 200ms"},
		"cuts": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = w.Write([]byte(`{"choi`))
		}, "EOF"},
		"busy":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, "429"},
		"broken": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "500"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "not followed"},
		"other": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"model":"other","choices":[{}]}`))
		}, `model "other" replied`},
	} {
		t.Run(name, func(t *testing.T) {
			var hostile atomic.Bool
			s := openaitest.New(openNative(t), "tiny")
			l := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if hostile.Load() {
					c.answer(w, r)
					return
				}
				s.ServeHTTP(w, r)
			}))
			defer l.Close()
			p, err := openai.OpenPool(openai.PoolOptions{})
			if err != nil {
				t.Fatal(err)
			}
			deadline := time.Minute
			if name == "stalls" {
				deadline = 200 * time.Millisecond
			}
			at := p.Server(openai.Address{URL: l.URL + "/v1", Key: "secret", Deadline: deadline, Retries: 1}).Quick()
			hostile.Store(true)
			if _, err := openai.Open(t.Context(), openNative(t), openai.Settings{Server: at, Model: "tiny", Together: 2}); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	if strangers.Load() != 0 {
		t.Errorf("%d requests went elsewhere", strangers.Load())
	}
	if _, err := openai.Open(t.Context(), struct{ engine.Engine }{openNative(t)}, openai.Settings{}); err == nil {
		t.Error("an engine without the abilities was taken")
	}
	if err := (&openai.Engine{}).NewPolicy(t.Context(), "full", engine.PolicySpec{Full: true}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}
