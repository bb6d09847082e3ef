package tinker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/engine"
	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
)

// A fault stands between a server and its client once it is switched on.
type fault struct {
	on    atomic.Bool
	path  string       // of the requests that it is about
	left  atomic.Int64 // how many it still concerns
	kind  func(w http.ResponseWriter, r *http.Request, inner http.Handler)
	asked atomic.Int64 // how many it concerned
}

// The kinds of faults.
func hangs(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, r.Body) // a server that has read all hears that nobody waits any more
	<-r.Context().Done()
}

func status(code int, body string) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", link.JSON)
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// loses does what was asked for, and the answer is lost.
func loses(_ http.ResponseWriter, r *http.Request, inner http.Handler) {
	inner.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// halves sends half of the answer, and then nothing.
func halves(w http.ResponseWriter, r *http.Request, inner http.Handler) {
	rec := httptest.NewRecorder()
	inner.ServeHTTP(rec, r)
	w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
	w.Header().Set("Content-Length", fmt.Sprint(rec.Body.Len()))
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// changes alters the outputs of passes.
func changes(how func(o *wire.Output)) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, inner http.Handler) {
		rec := httptest.NewRecorder()
		inner.ServeHTTP(rec, r)
		o, err := wire.DecodeOutput(rec.Body.Bytes())
		if rec.Header().Get("Content-Type") == link.Proto && err == nil && len(o.Data) > 0 {
			how(&o)
			rec.Body = bytes.NewBuffer(o.Encode())
		}
		w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	}
}

func (f *fault) around(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.on.Load() && strings.HasSuffix(r.URL.Path, "/"+f.path) && f.left.Add(-1) >= 0 {
			f.asked.Add(1)
			f.kind(w, r, inner)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

const always = 1 << 40

// TestFaults: whatever a server does while a policy takes three steps, the steps are those of the embedded engine, or there is an error that says
// what happened, within the deadline, and no step of the policy follows.
func TestFaults(t *testing.T) {
	here := twin(t, spec)
	train(t, here, 3)
	want := scores(t, here)
	logprobs := func(o *wire.Output) wire.Tensor { return o.Data[0]["logprobs"] }
	for name, c := range map[string]struct {
		path string
		n    int64
		kind func(http.ResponseWriter, *http.Request, http.Handler)
		want string // of the error; empty: it goes on
	}{
		"hangs once at a pass":        {"forward_backward", 1, hangs, ""},
		"hangs at a pass":             {"forward_backward", always, hangs, "no answer within"},
		"hangs once at a result":      {"retrieve_future", 1, hangs, ""},
		"hangs at results":            {"retrieve_future", always, hangs, "none within"},
		"hangs once at a step":        {"optim_step", 1, hangs, ""},
		"500 at a pass, thrice":       {"forward_backward", 3, status(500, "oh"), ""},
		"500 at passes":               {"forward_backward", always, status(500, "oh"), "500 Internal Server Error: oh"},
		"500 at results, thrice":      {"retrieve_future", 3, status(500, ""), ""},
		"500 at results":              {"retrieve_future", always, status(500, "oh"), "in a row: 500"},
		"503 at a step":               {"optim_step", 2, status(503, ""), ""},
		"429 at a step":               {"optim_step", 2, status(429, ""), ""},
		"an empty 400":                {"optim_step", 1, status(400, ""), ""},
		"400 at a step":               {"optim_step", always, status(400, `{"detail":"no such thing"}`), "no such thing"},
		"401":                         {"forward_backward", always, status(401, `{"detail":"who are you"}`), "who are you"},
		"loses the answer to a pass":  {"forward_backward", 1, loses, ""},
		"loses the answer to a step":  {"optim_step", 2, loses, ""},
		"loses the answer to results": {"retrieve_future", 3, loses, ""},
		"loses the answers to passes": {"forward_backward", always, loses, "EOF"},
		"half an answer to a pass":    {"forward_backward", 1, halves, ""},
		"half a result":               {"retrieve_future", 2, halves, ""},
		"half of all results":         {"retrieve_future", always, halves, "unexpected EOF"},
		"NaN":                         {"retrieve_future", 1, changes(func(o *wire.Output) { logprobs(o).Floats[2] = float32(math.NaN()) }), "number 2 is NaN: not finite"},
		"infinite":                    {"retrieve_future", 1, changes(func(o *wire.Output) { logprobs(o).Floats[0] = float32(math.Inf(-1)) }), "not finite"},
		"above 0":                     {"retrieve_future", 1, changes(func(o *wire.Output) { logprobs(o).Floats[0] = 0.5 }), "log-probability of token 0"},
		"too few log-probabilities":   {"retrieve_future", 1, changes(func(o *wire.Output) { o.Data[0]["logprobs"] = wire.FloatsOf(logprobs(o).Floats[1:]) }), "9 for 10 tokens"},
		"too many":                    {"retrieve_future", 1, changes(func(o *wire.Output) { o.Data[0]["logprobs"] = wire.FloatsOf(append(logprobs(o).Floats, -1)) }), "11 for 10 tokens"},
		"too few data":                {"retrieve_future", 1, changes(func(o *wire.Output) { o.Data = o.Data[1:] }), "outputs for"},
		"no log-probabilities":        {"retrieve_future", 1, changes(func(o *wire.Output) { o.Data[0] = map[string]wire.Tensor{"other": logprobs(o)} }), "0 for 10 tokens"},
		"integers": {"retrieve_future", 1, changes(func(o *wire.Output) {
			for _, d := range o.Data {
				d["logprobs"] = wire.IntsOf(make([]int64, 10))
			}
		}), "0 for 10 tokens"},
		"no request id":                      {"forward_backward", 1, status(200, `{}`), "names no request_id"},
		"a request id that is a number":      {"forward_backward", 1, status(200, `{"request_id":7}`), "request_id"},
		"no JSON":                            {"forward_backward", 1, status(200, `<html>`), "<html>"},
		"a result that is no JSON":           {"retrieve_future", always, status(200, `<html>`), "<html>"},
		"a stale sequence number":            {"optim_step", 1, status(409, `{"detail":"Sequence conflict: expected 9, got 3."}`), "Sequence conflict"},
		"a stale sequence number, as result": {"retrieve_future", 1, status(409, `{"detail":"Sequence conflict: expected 9, got 3."}`), "Sequence conflict"},
		"a failed pass":                      {"retrieve_future", 1, status(200, `{"error":"out of memory","category":"server"}`), "the server failed: out of memory"},
		"an error that is null":              {"retrieve_future", 1, status(200, `{"metrics":{},"error":null}`), "the server failed"},
		"a result that is gone":              {"retrieve_future", 1, status(410, `{"detail":"expired"}`), "no longer has it"},
		"a result that nobody knows":         {"retrieve_future", 1, status(404, `{"detail":"Future not found"}`), "no longer has it"},
		"not yet, in vain":                   {"retrieve_future", always, status(408, `{"type":"try_again"}`), "none within"},
		"not yet, as a success":              {"retrieve_future", 5, status(200, `{"type":"try_again"}`), ""},
		"the size of a result":               {"retrieve_future", 1, status(200, `{"status":"complete_metadata","response_payload_size":93}`), ""},
		"a redirect":                         {"optim_step", 1, status(307, ""), "307"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fault{path: c.path, kind: c.kind}
			f.left.Store(c.n)
			_, at := serve(t, f.around)
			client := impatient(t, at)
			e := dialWith(t, client)
			client.Server.Wait, client.Longest, client.Patience, client.Hold = 2*time.Second, 1<<20, 200*time.Millisecond, 200*time.Millisecond
			if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
				t.Fatal(err)
			}
			f.on.Store(true)
			err := steps(t.Context(), e, 3)
			f.on.Store(false)
			if f.asked.Load() == 0 {
				t.Fatal("the fault was not met")
			}
			if c.want == "" {
				if off := gap(scores(t, e), want); err != nil || off > 1e-4 {
					t.Errorf("error %v, log-probabilities %g apart", err, off)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 3000 {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestEndlessResult: a result without an end is read up to a bound.
func TestEndlessResult(t *testing.T) {
	f := &fault{path: "retrieve_future", kind: endless}
	f.left.Store(always)
	_, at := serve(t, f.around)
	client := impatient(t, at)
	e := dialWith(t, client)
	client.Longest, client.Hold = 1<<20, time.Minute
	if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
		t.Fatal(err)
	}
	f.on.Store(true)
	if err := steps(t.Context(), e, 1); err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("%v", err)
	}
	f.on.Store(false)
}

func endless(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	w.Header().Set("Content-Type", link.Proto)
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 1<<16)); err != nil {
			return
		}
	}
}

// steps takes so many, or until the first error.
func steps(ctx context.Context, e engine.Engine, n int) error {
	for range n {
		for _, part := range [][]engine.Datum{data()[:3], data()[3:]} {
			if err := e.ForwardBackward(ctx, part, uneven); err != nil {
				return err
			}
		}
		if _, err := e.Step(ctx, "p", adam); err != nil {
			return err
		}
	}
	return nil
}

// TestLostStep: after a step of which nobody knows whether it was taken, the policy takes no more calls.
func TestLostStep(t *testing.T) {
	f := &fault{path: "optim_step", kind: hangs}
	f.left.Store(always)
	_, at := serve(t, f.around)
	client := impatient(t, at)
	e := dialWith(t, client)
	if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
		t.Fatal(err)
	}
	client.Patience = 20 * time.Millisecond
	f.on.Store(true)
	if err := steps(t.Context(), e, 1); err == nil {
		t.Fatal("a step that nobody answered was taken")
	}
	f.on.Store(false)
	for name, err := range map[string]error{
		"step":  func() error { _, err := e.Step(t.Context(), "p", adam); return err }(),
		"score": func() error { _, err := e.Forward(t.Context(), data()); return err }(),
		"save":  e.Save(t.Context(), "p", filepath.Join(t.TempDir(), "p")),
	} {
		if err == nil || !strings.Contains(err.Error(), "load it from a checkpoint") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRestart: a server that was started again says nothing of it, takes requests and never answers. Another request, which it does answer, gives
// it away long before the deadline, and the policy goes on from what was saved, bit for bit.
func TestRestart(t *testing.T) {
	s, at := serve(t, nil)
	client := impatient(t, at)
	client.Hold, client.Canary = 50*time.Millisecond, 100*time.Millisecond
	e := dialWith(t, client)
	if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
		t.Fatal(err)
	}
	train(t, e, 2)
	dir := filepath.Join(t.TempDir(), "p")
	if err := e.Save(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	want := func() []float32 {
		twin := dial(t, at)
		if err := twin.Load(t.Context(), "p", dir); err != nil {
			t.Fatal(err)
		}
		train(t, twin, 1)
		return scores(t, twin)
	}()
	s.Restart()
	begin := time.Now()
	if err := steps(t.Context(), e, 1); !errors.Is(err, link.ErrGone) || time.Since(begin) > 30*time.Second {
		t.Errorf("after %v: %v, want link.ErrGone", time.Since(begin), err)
	}
	again := dial(t, at)
	if err := again.Load(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	train(t, again, 1)
	if off := gap(scores(t, again), want); off != 0 {
		t.Errorf("the policy goes on %g apart", off)
	}
}

// TestSession: a session that the server ended takes no more calls.
func TestSession(t *testing.T) {
	f := &fault{path: "session_heartbeat", kind: status(410, "")}
	f.left.Store(always)
	_, at := serve(t, f.around)
	client := impatient(t, at)
	client.Beat = 5 * time.Millisecond
	e := dialWith(t, client)
	f.on.Store(true)
	for begin := time.Now(); !e.session.Ended.Load() && time.Since(begin) < 10*time.Second; {
		time.Sleep(time.Millisecond)
	}
	if err := e.NewPolicy(t.Context(), "p", spec); !errors.Is(err, link.ErrGone) {
		t.Errorf("%v, want link.ErrGone", err)
	}
}

// TestSampleFaults: a completion that failed beside a bad one of another client is asked for again; one that makes no sense is an error.
func TestSampleFaults(t *testing.T) {
	sample := func(q wire.Sequence) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", link.Proto)
			_, _ = w.Write((&wire.Sample{Sequences: []wire.Sequence{q}}).Encode())
		}
	}
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		n    int64
		kind func(http.ResponseWriter, *http.Request, http.Handler)
		want string
	}{
		"a bad neighbour":        {3, status(400, `{"detail":"Python integer 8589934592 out of bounds for int32"}`), ""},
		"a bad neighbour always": {always, status(400, `{"detail":"Python integer 8589934592 out of bounds for int32"}`), "out of bounds"},
		"the user's fault":       {1, status(200, `{"error":"no","category":"user"}`), "the server failed: no"},
		"expired":                {1, status(410, `{"detail":"expired"}`), ""},
		"no tokens":              {1, sample(wire.Sequence{}), "0 tokens"},
		"too many tokens":        {1, sample(wire.Sequence{Tokens: make([]int, 9), Logprobs: make([]float32, 9)}), "9 tokens; 1 to 4"},
		"too few tokens":         {1, sample(wire.Sequence{Tokens: []int{1}, Logprobs: []float32{-1}}), "ends after 1 of 4"},
		"unknown token":          {1, sample(wire.Sequence{Tokens: []int{1, 2, 3, tiny.Vocab}, Logprobs: []float32{-1, -1, -1, -1}}), "not in the vocabulary"},
		"no log-probabilities":   {1, sample(wire.Sequence{Tokens: []int{1, 2, 3, 4}}), "0 log-probabilities for 4"},
		"NaN":                    {1, sample(wire.Sequence{Tokens: []int{1, 2, 3, 4}, Logprobs: []float32{-1, -1, nan, -1}}), "not finite"},
		"two": {1, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", link.Proto)
			_, _ = w.Write((&wire.Sample{Sequences: make([]wire.Sequence, 2)}).Encode())
		}, "2 completions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fault{path: "retrieve_future", kind: c.kind}
			_, at := serve(t, f.around)
			e := dial(t, at)
			r := engine.SampleRequest{Prompt: []int{1, 2}, MaxTokens: 4, Seed: 1 << 60, Sampling: engine.Sampling{Temperature: 1}}
			whole, err := e.Sample(t.Context(), []engine.SampleRequest{r})
			if err != nil {
				t.Fatal(err)
			}
			f.left.Store(c.n)
			f.on.Store(true)
			got, err := e.Sample(t.Context(), []engine.SampleRequest{r})
			switch {
			case c.want == "" && (err != nil || fmt.Sprint(got) != fmt.Sprint(whole)):
				t.Errorf("%v, %v; want %v", got, err, whole)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, %v; want an error with %q", got, err, c.want)
			}
		})
	}
}

// TestKeyStaysAtHome: the key goes to its own server alone, wherever archives and redirects lead.
func TestKeyStaysAtHome(t *testing.T) {
	var strangers atomic.Int64
	var inner http.Handler
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-Key") != "" || r.Header.Get("Authorization") != "" {
			t.Error("the key travelled")
		}
		strangers.Add(1)
		r.Header.Set("X-API-Key", "secret")
		r.URL.Path = strings.TrimSuffix(r.URL.Path, "/archive") + "/download"
		inner.ServeHTTP(w, r)
	}))
	defer elsewhere.Close()
	for name, lead := range map[string]func(w http.ResponseWriter, r *http.Request){
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusFound)
		},
		"address": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", link.JSON)
			_ = json.NewEncoder(w).Encode(map[string]string{"url": elsewhere.URL + r.URL.Path})
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := strangers.Load()
			f := &fault{path: "archive", kind: func(w http.ResponseWriter, r *http.Request, _ http.Handler) { lead(w, r) }}
			f.left.Store(always)
			f.on.Store(true)
			s, at := serve(t, f.around)
			inner = s
			e := dial(t, at)
			if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
				t.Fatal(err)
			}
			if err := e.Save(t.Context(), "p", filepath.Join(t.TempDir(), "p")); err != nil {
				t.Fatal(err)
			}
			if strangers.Load() == before {
				t.Error("nobody else was asked")
			}
		})
	}
}

// TestTokensStayAtHome: whatever request a server sends on to another port, it is not followed.
func TestTokensStayAtHome(t *testing.T) {
	var strangers atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	defer elsewhere.Close()
	for _, path := range []string{"create_model", "forward_backward", "optim_step", "asample", "save_weights_for_sampler", "retrieve_future"} {
		for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			f := &fault{path: path, kind: func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
				http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
			}}
			f.left.Store(always)
			_, at := serve(t, f.around)
			e := dial(t, at)
			if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
				t.Fatal(err)
			}
			f.on.Store(true)
			_, drawn := e.Sample(t.Context(), []engine.SampleRequest{{Policy: "p", Prompt: []int{1, 2}, MaxTokens: 2}})
			err := errors.Join(e.NewPolicy(t.Context(), "q", spec), steps(t.Context(), e, 1), drawn)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) || strangers.Load() != 0 {
				t.Errorf("%s: %v, %d requests elsewhere", path, err, strangers.Load())
			}
		}
	}
}

// TestOpenRefuses: what is wrong with a server is said before anything is made there.
func TestOpenRefuses(t *testing.T) {
	s, at := serve(t, nil)
	for name, c := range map[string]struct {
		change func(*link.Server)
		want   string
	}{
		"no address":    {func(s *link.Server) { s.URL = "tiny" }, "is no URL of a server"},
		"a password":    {func(s *link.Server) { s.URL = strings.Replace(s.URL, "http://", "http://me:secret@", 1) }, "has a password"},
		"another model": {func(s *link.Server) { s.Model = "big" }, `no model "big": name one of tiny`},
		"another key":   {func(s *link.Server) { s.Key = "x" }, "401"},
		"nobody":        {func(s *link.Server) { s.URL = "http://127.0.0.1:1" }, "refused"},
	} {
		other := at
		c.change(&other)
		var e *Engine
		client, err := link.New(other)
		if err == nil {
			client.Pause, client.Patience = time.Millisecond, time.Second
			e, err = open(t.Context(), client, Shape{Vocab: tiny.Vocab, Context: tiny.Context}, nil)
		}
		if err == nil || e != nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "me:secret") {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
	if n := s.Asked("create_session"); n != 0 {
		t.Errorf("%d sessions were made", n)
	}
}

// TestLostSave: a save whose answer was lost is done again under another name, also while a server is measured.
func TestLostSave(t *testing.T) {
	for _, path := range []string{"save_weights", "save_weights_for_sampler"} {
		f := &fault{path: path, kind: loses}
		f.left.Store(1)
		f.on.Store(true)
		_, at := serve(t, f.around)
		e := dial(t, at)
		if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
			t.Fatal(err)
		}
		if f.asked.Load() == 0 {
			t.Errorf("%s: nothing was lost while the server was measured", path)
		}
		f.left.Store(1)
		if err := e.Save(t.Context(), "p", filepath.Join(t.TempDir(), "p")); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		train(t, e, 1)
	}
}
