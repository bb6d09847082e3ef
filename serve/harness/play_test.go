package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/engine"
	"parley/model"
	"parley/rl/rollout"
	"parley/rl/rollout/harness"
	"parley/team"
)

// A scribe is an engine that writes one text, whatever it is asked. It can be held up.
type scribe struct {
	engine.Engine
	model *model.Model
	text  string
	begun chan struct{} // is told when it has been asked; nil: it is not
	wait  chan struct{} // before its first token; nil: not at all
	fails error

	mu   sync.Mutex
	reqs []engine.SampleRequest
}

func (s *scribe) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	return s.Stream(ctx, reqs, func(int, int) error { return nil })
}

func (s *scribe) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	s.mu.Lock()
	s.reqs = append(s.reqs, reqs...)
	s.mu.Unlock()
	if s.begun != nil {
		s.begun <- struct{}{}
	}
	if s.wait != nil {
		select {
		case <-s.wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		ids, err := s.model.Tokenizer.Encode(s.text, false)
		if err != nil || s.fails != nil {
			return nil, s.fails
		}
		out[i].Stop = engine.StopEOS
		for _, id := range append(ids, r.Stop[0]) {
			o := &out[i]
			o.Tokens, o.Logprobs = append(o.Tokens, id), append(o.Logprobs, -1)
			if w, ok := r.Watch.(engine.Weigher); ok {
				w.Weigh(-1)
			}
			ends := r.Watch != nil && id != r.Stop[0] && r.Watch.Ends(id)
			if err := each(i, id); err != nil {
				return nil, err
			}
			if ends {
				o.Stop = engine.StopText
				break
			}
			if len(o.Tokens) == r.MaxTokens {
				o.Stop = engine.StopLength
				break
			}
		}
	}
	return out, nil
}

// request is the i-th that the scribe got.
func (s *scribe) request(i int) engine.SampleRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reqs[i]
}

// base is the shipped model with a chat template; empty: its own.
func base(t *testing.T, template string) *model.Model {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "model", "shipped", "model"))); err != nil {
		t.Fatal(err)
	}
	if template != "" {
		source, err := os.ReadFile(filepath.Join("..", "..", "model", "chat", "testdata", "templates", template+".jinja"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "chat_template.jinja"), source, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	m, err := model.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// A bird is an agent that is no model.
type bird struct{ fails error }

func (bird) Kind() string { return "script" }

func (b bird) Speak(_ context.Context, asks []team.SpeakerAsk) ([]team.Reply, error) {
	out := make([]team.Reply, len(asks))
	for i, a := range asks {
		out[i] = team.Reply{Text: a.Agent + " heard " + a.Messages[len(a.Messages)-1].Content, Cut: a.MaxTokens < 5, Err: b.fails}
	}
	return out, nil
}

// A game is one episode: a writer, who is called gpt-4o as well, and a bird.
type game struct {
	*scribe
	t    *testing.T
	live *harness.Live
	door http.Handler
	end  func()
}

// An asked request.
type asked struct {
	method, path, body string
	header             map[string]string
	ctx                context.Context
}

const mostCalls, room, longest = 8, 200, 100

func newGame(t *testing.T, template string) *game {
	t.Helper()
	g := &game{t: t, scribe: &scribe{model: base(t, template), text: "It is 3 < 4. Is it?"}}
	ctx, end := context.WithCancel(t.Context())
	t.Cleanup(end)
	g.end = end
	draw := rollout.Draw{Sampling: engine.Sampling{Temperature: 1, TopP: 1}, MaxTokens: longest}
	g.live = &harness.Live{Ctx: ctx, Key_: "hk-1", Limit: mostCalls, Models: map[string]int{"gpt-4o": 0}, Agents_: []harness.Agent{
		{Name: "writer", Actor: rollout.Actor{Name: "writer", Engine: g.scribe, Codec: g.model, Context: room}, Draw: draw, Stop: []string{"Is "}, Fingerprint: "fp_1"},
		{Name: "bird", Actor: rollout.Actor{Name: "bird", Engine: g.scribe, Codec: g.model, Speaker: bird{}}, Draw: draw},
	}}
	g.door = New().Handler(func(name string) *harness.Live {
		if name == "t1-0-0" {
			return g.live
		}
		return nil
	})
	return g
}

// over ends the episode.
func (g *game) over() {
	g.live.Mu.Lock()
	g.live.Over_ = harness.ErrOver
	g.live.Mu.Unlock()
	g.end()
}

func (g *game) messages() int { return g.live.Messages() }

// ask sends a request, and returns when the door has done with it; left: it had nobody to tell any more.
func (g *game) ask(a asked) (answer *httptest.ResponseRecorder, left bool) {
	g.t.Helper()
	if a.method == "" {
		a.method = http.MethodPost
	}
	if a.ctx == nil {
		a.ctx = g.t.Context()
	}
	if !strings.HasPrefix(a.path, "/e/") {
		a.path = "/e/t1-0-0" + a.path
	}
	r := httptest.NewRequestWithContext(a.ctx, a.method, a.path, strings.NewReader(a.body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer hk-1")
	for k, v := range a.header {
		r.Header.Set(k, v)
	}
	answer = httptest.NewRecorder()
	defer func() {
		if v := recover(); v != nil {
			if v != http.ErrAbortHandler {
				panic(v)
			}
			left = true
		}
	}()
	g.door.ServeHTTP(answer, r)
	return answer, false
}

const chats = "/v1/chat/completions"

// chat is the body of a chat with further fields.
func chat(fields string) string {
	return `{"model":"writer","messages":[{"role":"user","content":"Why?"}]` + fields + `}`
}

// A said answer, of a chat.
type said struct {
	ID, Text, Finish string
	Calls            []string // ids, names and arguments
	Logprobs         int
	Print            string
}

// whole reads the choices of a whole answer.
func whole(t *testing.T, body string) (out []said) {
	t.Helper()
	var v struct {
		ID      string
		Print   string `json:"system_fingerprint"`
		Choices []struct {
			Message  delta
			Finish   string `json:"finish_reason"`
			Logprobs struct{ Content []any }
		}
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil || len(v.Choices) == 0 {
		t.Fatalf("%v: %s", err, body)
	}
	for _, c := range v.Choices {
		s := said{ID: v.ID, Finish: c.Finish, Logprobs: len(c.Logprobs.Content), Print: v.Print}
		s.add(c.Message)
		out = append(out, s)
	}
	return out
}

type delta struct {
	Content string
	Calls   []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func (s *said) add(d delta) {
	s.Text += d.Content
	for _, c := range d.Calls {
		s.Calls = append(s.Calls, fmt.Sprint(c.ID, c.Function.Name, c.Function.Arguments))
	}
}

// streamed reads the one choice of a stream.
func streamed(t *testing.T, body string) (s said, done bool) {
	t.Helper()
	for _, event := range strings.Split(body, "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || done {
			continue
		}
		if done = data == "[DONE]"; done {
			continue
		}
		var v struct {
			ID      string
			Print   string `json:"system_fingerprint"`
			Choices []struct {
				Delta    delta
				Finish   string `json:"finish_reason"`
				Logprobs struct{ Content []any }
			}
		}
		if err := json.Unmarshal([]byte(data), &v); err != nil || len(v.Choices) != 1 {
			t.Fatalf("%v: %s", err, data)
		}
		c := v.Choices[0]
		s.ID, s.Print, s.Finish, s.Logprobs = v.ID, v.Print, s.Finish+c.Finish, s.Logprobs+len(c.Logprobs.Content)
		s.add(c.Delta)
	}
	return s, done
}
