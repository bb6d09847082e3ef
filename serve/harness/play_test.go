package harness

import (
	"cmp"
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
	"time"

	"parley/engine"
	"parley/model"
	"parley/rl/rollout"
	"parley/rl/rollout/harness"
	"parley/task"
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

// Slots implements [engine.Server]: nobody waits for the calls of others.
func (*scribe) Slots() int { return 64 }

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

// A game is one episode, whose program is the test: a writer, who is called gpt-4o as well, and a bird.
type game struct {
	*scribe
	t      *testing.T
	door   http.Handler
	base   string // BASE of the protocol
	key    string
	harn   *harness.Harness
	result chan string // what the program answers
	played chan *rollout.Episode
	told   sync.Once
	says   string // the result; empty: that all earned 1
}

// An asked request.
type asked struct {
	method, path, body string
	header             map[string]string
	ctx                context.Context
}

const mostCalls, room, longest = 8, 200, 100

// Handler implements [harness.Door]: the requests of the test need no network.
func (g *game) Handler(find func(string) *harness.Live) http.Handler {
	g.door = New().Handler(find)
	return g.door
}

// pays is a scorer of programs that say what they earned.
type pays struct{}

func (pays) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, t := range turn {
		if t.Node.Rewards = []float64{0}; t.Paid != nil {
			t.Node.Rewards[0] = t.Paid.Reward
		}
	}
	return nil
}

// silenced is the player of a runner whose writer says nothing.
var silenced rollout.Player = (*harness.Harness)(nil)

// newGame begins an episode. change has its say of the team before.
func newGame(t *testing.T, template string, change ...func(h *harness.Settings, r *rollout.Runner)) *game {
	t.Helper()
	g := &game{t: t, scribe: &scribe{model: base(t, template), text: "It is 3 < 4. Is it?"}, result: make(chan string), played: make(chan *rollout.Episode, 1)}
	begun := make(chan [2]string, 1)
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var e struct {
			Base string `json:"base_url"`
			Key  string `json:"api_key"`
		}
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		begun <- [2]string{e.Base, e.Key}
		fmt.Fprint(w, <-g.result)
	}))
	t.Cleanup(program.Close)
	settings := harness.Settings{
		Run: "run", URL: program.URL, Time: time.Minute, Calls: mostCalls, Models: map[string]string{"gpt-4o": "writer"}, Stops: [][]string{{"Is "}, {"Is "}},
		Listen: "127.0.0.1:0", Pays: true, Most: 1,
	}
	policy := func(int) engine.Policy { return "policy" }
	r := &rollout.Runner{
		Protocol: two{}, Scorer: pays{}, Seed: 7,
		Actors: []rollout.Actor{
			{Name: "writer", Engine: g.scribe, Codec: g.model, Context: room, Policy: policy},
			{Name: "bird", Engine: g.scribe, Codec: g.model, Policy: policy, Speaker: bird{}},
		},
		Settings: rollout.Settings{Sampling: engine.Sampling{Temperature: 1, TopP: 1}, MaxTokens: longest, Group: 1},
	}
	for _, f := range change {
		f(&settings, r)
	}
	h, err := harness.New(settings, g)
	if err != nil {
		t.Fatal(err)
	}
	if g.harn = h; r.Player == silenced {
		r.Player = h.Without(0)
	} else {
		r.Player = h
	}
	go func() {
		episodes, err := r.Run(context.Background(), "train", 1, []task.Problem{{ID: "1", Question: "Why?"}})
		if err != nil {
			t.Error(err)
			episodes = []*rollout.Episode{{}}
		}
		g.played <- episodes[0]
	}()
	at := <-begun
	g.base, g.key = at[0], at[1]
	t.Cleanup(func() {
		g.over()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// two is the protocol of two agents, which the program plays.
type two struct{ team.Protocol }

func (two) Agents() int { return 2 }

// over ends the episode, once, and returns what became of it.
func (g *game) over() (e *rollout.Episode) {
	g.told.Do(func() { g.result <- cmp.Or(g.says, `{"reward":1}`) })
	e = <-g.played
	g.played <- e
	return e
}

// messages ends the episode and returns its messages.
func (g *game) messages() (out []rollout.Completion) {
	for _, n := range g.over().Nodes {
		out = append(out, n.Agents[0].Completions[0])
	}
	return out
}

// counts ends the episode and returns what was counted of it.
func (g *game) counts() harness.Metrics {
	g.over()
	if m := g.harn.Take(1); m != nil {
		return *m
	}
	return harness.Metrics{}
}

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
	r.Header.Set("Authorization", "Bearer "+g.key)
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
