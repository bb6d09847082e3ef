package harness_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/rollout"
	"parley/rl/rollout/harness"
	"parley/task"
	"parley/team"
)

// TestMain makes this binary the programs that play.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && programs[os.Args[1]] != nil {
		programs[os.Args[1]](os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// self is the command of a program.
func self(t *testing.T, words ...string) []string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{name}, words...)
}

// dice is an engine whose completions are random letters, a function of policy and seed alone.
type dice struct {
	engine.Engine
	mu      sync.Mutex
	batches []int
	fails   error
	hangs   bool
	noise   uint64 // of the weights
}

func (d *dice) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	d.mu.Lock()
	d.batches = append(d.batches, len(reqs))
	d.mu.Unlock()
	if d.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		rng := seed.Stream(r.Seed ^ d.noise)
		for range min(4, r.MaxTokens) {
			out[i].Tokens = append(out[i].Tokens, 'a'+rng.IntN(26))
			out[i].Logprobs = append(out[i].Logprobs, -float32(rng.IntN(9)))
		}
		out[i].Stop = engine.StopLength
	}
	return out, d.fails
}

// letters is a codec with a token a byte.
type letters struct{}

func (letters) Prompt(dialogue []team.Message) (ids []int, err error) {
	for _, m := range dialogue {
		for _, r := range []byte(m.Content) {
			ids = append(ids, int(r))
		}
	}
	return ids, nil
}

func (letters) Text(tokens []int) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte(byte(t))
	}
	return b.String()
}

func (letters) Stop() []int { return nil }

// judge is a scorer that pays for answers that begin with a letter before n, or what the program pays.
type judge struct{}

func (judge) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, t := range turn {
		t.Node.Rewards = []float64{0}
		if t.Paid != nil {
			t.Node.Scored, t.Node.Rewards = []task.Score{*t.Paid}, []float64{t.Paid.Reward}
			continue
		}
		texts, over, err := t.Final(0)
		if err != nil || !over || texts == nil {
			continue
		}
		for _, text := range texts {
			if text < "n" {
				t.Node.Rewards[0] += 1 / float64(len(texts))
			}
		}
		t.Node.Scored = []task.Score{{Reward: t.Node.Rewards[0]}}
	}
	return nil
}

// door is a small protocol: POST /e/EPISODE/ask {"agent":…,"text":…}.
type door struct{}

type request struct {
	Agent string `json:"agent"`
	Text  string `json:"text"`
	N     int    `json:"n,omitempty"`
	Leave bool   `json:"leave,omitempty"` // the client does as if it had gone
}

type response struct {
	ID    string   `json:"id,omitempty"`
	Texts []string `json:"texts,omitempty"`
	Error string   `json:"error,omitempty"`
}

func (door) Handler(find func(string) *harness.Live) http.Handler {
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, status int, r response) error {
		w.WriteHeader(status)
		return json.NewEncoder(w).Encode(r)
	}
	let := func(w http.ResponseWriter, r *http.Request) (e *harness.Live, body []byte) {
		if e = find(r.PathValue("episode")); e == nil || r.Header.Get("Authorization") != "Bearer "+e.Key() {
			_ = answer(w, 401, response{Error: "invalid_api_key"})
			return nil, nil
		}
		body, _ = io.ReadAll(r.Body)
		return e, body
	}
	mux.HandleFunc("POST /e/{episode}/result", func(w http.ResponseWriter, r *http.Request) {
		e, body := let(w, r)
		if e == nil {
			return
		}
		switch err := e.Report(body); {
		case errors.Is(err, harness.ErrReported):
			_ = answer(w, 400, response{Error: "already_reported"})
		case err != nil:
			_ = answer(w, 400, response{Error: err.Error()})
		}
	})
	mux.HandleFunc("POST /e/{episode}/v1/ask", func(w http.ResponseWriter, r *http.Request) {
		e, body := let(w, r)
		if e == nil {
			return
		}
		var q request
		if err := json.Unmarshal(body, &q); err != nil {
			_ = answer(w, 400, response{Error: err.Error()})
			return
		}
		agent, known := e.Named(q.Agent)
		if !known {
			e.Refuse("model_not_found", "no agent is called "+q.Agent)
			_ = answer(w, 404, response{Error: "model_not_found"})
			return
		}
		messages := []team.Message{{Role: team.User, Content: q.Text}}
		ask := harness.Ask{Response: fmt.Sprintf("r-%s-%s", q.Agent, q.Text), Messages: messages, N: q.N}
		if a := e.Agents()[agent].Actor; a.Speaker == nil {
			ask.Prompt, _ = a.Codec.Prompt(messages)
		}
		calls, err := e.Begin(agent, ask)
		if err != nil {
			_ = answer(w, map[error]int{harness.ErrOver: 404, harness.ErrTooMany: 403}[err], response{Error: err.Error()})
			return
		}
		texts, err := draw(e, agent, calls)
		if err != nil || q.Leave {
			for _, c := range calls {
				c.Left()
			}
			_ = answer(w, 502, response{Error: fmt.Sprint(err)})
			return
		}
		err = answer(w, 200, response{ID: ask.Response, Texts: texts})
		for _, c := range calls {
			if err == nil {
				c.Delivered()
			} else {
				c.Left()
			}
		}
	})
	return mux
}

// draw lets all choices be drawn at once.
func draw(e *harness.Live, agent int, calls []*harness.Call) ([]string, error) {
	texts, errs := make([]string, len(calls)), make([]error, len(calls))
	var wait sync.WaitGroup
	for i, c := range calls {
		wait.Go(func() {
			a := e.Agents()[agent]
			if a.Actor.Speaker != nil {
				reply, err := c.Speak(e.Context(), a.Draw.MaxTokens)
				texts[i], errs[i] = reply.Text, err
				return
			}
			prompt, _ := a.Actor.Codec.Prompt(messagesOf(c))
			samples, err := c.Stream(e.Context(), []engine.SampleRequest{{Prompt: prompt, MaxTokens: 1000}}, nil)
			if errs[i] = err; err == nil {
				texts[i] = a.Actor.Codec.Text(samples[0].Tokens)
				c.Wrote(texts[i], nil)
			}
		})
	}
	wait.Wait()
	return texts, errors.Join(errs...)
}

// messagesOf are those that a call answers.
func messagesOf(c *harness.Call) []team.Message { return harness.MessagesOf(c) }

// begin is what a program gets.
type begin struct {
	ID       int               `json:"id"`
	Episode  string            `json:"episode"`
	Item     map[string]any    `json:"item"`
	BaseURL  string            `json:"base_url"`
	Key      string            `json:"api_key"`
	Agents   map[string]string `json:"agents"`
	Training bool              `json:"training"`
	Seed     int64             `json:"seed"`
}

// post sends something to the door; status 0: nobody answers.
func post(key, url string, body any) (status int, r response) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, response{Error: err.Error()}
	}
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(data))
	if err != nil {
		return 0, response{Error: err.Error()}
	}
	req.Header.Set("Authorization", "Bearer "+key)
	a, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, response{Error: err.Error()}
	}
	defer a.Body.Close()
	_ = json.NewDecoder(a.Body).Decode(&r)
	return a.StatusCode, r
}

func (b begin) ask(agent, text string) (int, response) {
	return post(b.Key, b.BaseURL+"/ask", request{Agent: agent, Text: text})
}

func (b begin) say(agent, text string) string {
	status, r := b.ask(agent, text)
	if status != 200 {
		return fmt.Sprintf("%d %s", status, r.Error)
	}
	return r.Texts[0]
}

func (b begin) report(result any) (int, response) {
	return post(b.Key, strings.TrimSuffix(b.BaseURL, "/v1")+"/result", result)
}

// setting is a harness over this binary, with a runner of two agents, writer and editor.
func setting(t *testing.T, s harness.Settings) (*harness.Harness, *rollout.Runner) {
	t.Helper()
	s.Time, s.Calls, s.Listen = cmp.Or(s.Time, time.Minute), cmp.Or(s.Calls, 64), "127.0.0.1:0"
	s.Folder, s.Most = cmp.Or(s.Folder, t.TempDir()), 1
	h, err := harness.New(s, door{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &rollout.Runner{Player: h, Scorer: judge{}, Seed: 7, Settings: rollout.Settings{MaxTokens: 8, Episodes: 2, Sampling: engine.Sampling{Temperature: 1}}}
	e := &dice{}
	for _, name := range []string{"writer", "editor"} {
		r.Actors = append(r.Actors, rollout.Actor{Name: name, Engine: e, Codec: letters{}, Policy: func(int) engine.Policy { return engine.Policy("policy-" + name) }})
	}
	return h, r
}

func problems(n int) []task.Problem {
	out := make([]task.Problem, n)
	for i := range out {
		out[i] = task.Problem{ID: fmt.Sprint(i), Question: fmt.Sprintf("question %d", i), Truth: "SECRET", Fields: map[string]string{"good": "stamps"}}
	}
	return out
}

func run(t *testing.T, r *rollout.Runner, n int) []*rollout.Episode {
	t.Helper()
	episodes, err := r.Run(t.Context(), "train", 3, problems(n))
	if err != nil {
		t.Fatal(err)
	}
	return episodes
}

// stored is what episodes are on disk. They have to be readable.
func stored(t *testing.T, episodes []*rollout.Episode) string {
	t.Helper()
	var all bytes.Buffer
	for _, e := range episodes {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rollout.ReadEpisode(data); err != nil {
			t.Errorf("%v: %s", err, data)
		}
		fmt.Fprintf(&all, "%s\n", data)
	}
	return all.String()
}

// failures are why episodes failed, by problem and sample.
func failures(episodes []*rollout.Episode) (out []string) {
	for _, e := range episodes {
		f := e.Failures()
		for sample := range e.Samples() {
			if f[sample] != "" {
				out = append(out, f[sample])
			}
		}
	}
	return out
}

// TestEpisode: a program that asks both agents gets what the team draws, and its episode is stored as others are: once for each way to start it.
func TestEpisode(t *testing.T) {
	var want string
	for name, s := range map[string]harness.Settings{
		"a process an episode": {Command: self(t, "pair")},
		"a process that stays": {Command: self(t, "stay"), Keep: true},
		"python":               {Python: "team.py", Interpreter: "python3", Folder: pythonFolder(t)},
	} {
		h, r := setting(t, s)
		got := stored(t, run(t, r, 3))
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
		if again := stored(t, run(t, r, 3)); again != got {
			t.Errorf("%s, again: %s\nwant %s", name, again, got)
		}
		m := h.Take(3)
		if m == nil || m.Episodes != 12 || m.Calls["writer"] != 1 || m.Calls["editor"] != 1 || m.Timing.Left != 0 || m.Extends != nil || m.Timing.Seconds.Max < m.Timing.Seconds.Mean || m.Timing.Seconds.Mean <= 0 {
			t.Errorf("%s: %+v", name, m)
		}
		if h.Take(3) != nil {
			t.Error("metrics are taken twice")
		}
	}
	var first rollout.Episode
	if err := json.Unmarshal([]byte(strings.Split(want, "\n")[0]), &first); err != nil {
		t.Fatal(err)
	}
	if len(first.Nodes) != 4 {
		t.Fatalf("%d nodes", len(first.Nodes))
	}
	for i, n := range first.Nodes {
		a := n.Agents[0]
		c := a.Completions[0]
		if n.Turn != i%2 || n.Sample != i/2 || n.Parent != []int{-1, 0, -1, 2}[i] || n.ParentAction != []int{-1, 0, -1, 0}[i] || a.Agent != i%2 ||
			a.Policy != []engine.Policy{"policy-writer", "policy-editor"}[i%2] || a.Sampling.Temperature != 1 || len(a.Prompt) == 0 || len(a.Messages) != 1 ||
			len(c.Tokens) != 4 || (n.Answers != nil) != (i%2 == 1) || c.Text != (letters{}).Text(c.Tokens) || (n.Scored != nil) != (i%2 == 1) || n.Own != nil {
			t.Errorf("node %d: %+v", i, n)
		}
	}
	if first.Nodes[1].Agents[0].Messages[0].Content != "Better: "+first.Nodes[0].Agents[0].Completions[0].Text {
		t.Errorf("the editor reads %q", first.Nodes[1].Agents[0].Messages[0].Content)
	}
}

// TestSeeds: streams and ids of calls are those of the fixture.
func TestSeeds(t *testing.T) {
	data, err := os.ReadFile(filepath.FromSlash("testdata/seeds.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Root                              uint64
		Purpose                           string
		Update, Problem, Sample, Agent, K int
		Prompt                            []int
		Seed_                             string `json:"seed"`
		Hash                              string
		RequestSeed                       *int64   `json:"request_seed"`
		CallIDs                           []string `json:"call_ids"`
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	for _, c := range all {
		hash, s := harness.StreamOf(c.Root, c.Purpose, c.Update, c.Problem, c.Sample, c.Agent, harness.Ask{Prompt: c.Prompt, Seed: c.RequestSeed}, c.K)
		if fmt.Sprint(hash) != c.Hash || fmt.Sprintf("%016x", s) != c.Seed_ {
			t.Errorf("%+v: hash %d, seed %016x", c, hash, s)
		}
		for i, want := range c.CallIDs {
			if got := harness.CallID(s, i); got != want {
				t.Errorf("call %d is %s, want %s", i, got, want)
			}
		}
	}
}

// TestEnvironment: a program gets its episode and what it needs, and no token of parley's.
func TestEnvironment(t *testing.T) {
	for name, value := range map[string]string{"PARLEY_TOKEN": "x", "HF_TOKEN": "x", "OPENAI_ORG_ID": "x", "HUGGING_FACE_HUB_TOKEN": "x", "OPENAI_ORGANIZATION": "x", "MY_KEY": "x", "NO_PROXY": "example.org", "HTTP_PROXY": "http://127.0.0.1:1", "OPENAI_BASE_URL": "https://example.org"} {
		t.Setenv(name, value)
	}
	for name, s := range map[string]harness.Settings{"once": {Command: self(t, "environment")}, "stays": {Command: self(t, "idle environment"), Keep: true}} {
		s.Secrets = []string{"MY_KEY"}
		_, r := setting(t, s)
		r.Settings.Episodes = 1
		e := run(t, r, 1)[0]
		if len(e.Nodes) == 0 || e.Failed() != "" {
			t.Fatalf("%s: %v", name, e.Failed())
		}
		said := e.Nodes[0].Agents[0].Messages[0].Content
		for _, want := range []string{"PYTHONHASHSEED=0", "PYTHONUNBUFFERED=1", "OPENAI_AGENTS_DISABLE_TRACING=1", "NO_PROXY=example.org,127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost"} {
			if !strings.Contains(said, want+"\n") {
				t.Errorf("%s: no %s in\n%s", name, want, said)
			}
		}
		for _, not := range []string{"PARLEY_TOKEN", "HF_TOKEN", "OPENAI_ORG", "HUGGING_FACE", "MY_KEY", "example.org\n", "SECRET"} {
			if strings.Contains(said, not) {
				t.Errorf("%s: %s in\n%s", name, not, said)
			}
		}
		if own := strings.Contains(said, "PARLEY_EPISODE="); own != (name == "once") {
			t.Errorf("%s: the episode is there: %v", name, own)
		}
		if early := strings.Contains(said, "/e/early/v1\n"); early != (name == "stays") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// TestPaidTruth: a program that pays knows the truth.
func TestPaidTruth(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "environment"), Pays: true})
	if said := run(t, r, 1)[0].Nodes[0].Agents[0].Messages[0].Content; !strings.Contains(said, "SECRET") {
		t.Error(said)
	}
}

// TestArguments: arguments are templates over the problem, and what such a program prints is its answer.
func TestArguments(t *testing.T) {
	h, r := setting(t, harness.Settings{Command: self(t, "printing", "{{.Question}} of {{.Fields.good}}"), Parallel: 1})
	r.Actors[1].Speaker = speaker{}
	e := run(t, r, 1)[0]
	if e.Failed() != "" || len(e.Nodes) != 4 {
		t.Fatal(e.Failures(), len(e.Nodes))
	}
	n := e.Nodes[1]
	if text := n.Agents[0].Messages[0].Content; text != "question 0 of stamps" {
		t.Errorf("asked %q", text)
	}
	if n.Agents[0].Speaker != "script" || n.Agents[0].Prompt != nil || n.Agents[0].Completions[0].Text != "a word" || n.Rewards[0] != 1 {
		t.Errorf("%+v", n)
	}
	if _, err := harness.New(harness.Settings{Command: []string{"x", "{{.Questin}"}}, door{}); err == nil || !strings.Contains(err.Error(), "team.harness.command[1]") {
		t.Error(err)
	}
	if _, err := harness.New(harness.Settings{}, door{}); err == nil {
		t.Error("nothing plays")
	}
	_ = h
}

// speaker says a word.
type speaker struct{ err error }

func (speaker) Kind() string { return "script" }

func (s speaker) Speak(_ context.Context, asks []team.SpeakerAsk) ([]team.Reply, error) {
	out := make([]team.Reply, len(asks))
	for i := range asks {
		if asks[i].Agent != "editor" || asks[i].Problem.Question == "" || asks[i].MaxTokens != 8 {
			return nil, fmt.Errorf("asked %+v", asks[i])
		}
		out[i] = team.Reply{Text: "a word", Err: s.err}
	}
	return out, nil
}

// TestSpeakerFails: an agent's endpoint that fails has failed the episode, whatever the program makes of it.
func TestSpeakerFails(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	r.Actors[1].Speaker = speaker{errors.New("no answer within 10s")}
	for _, why := range failures(run(t, r, 2)) {
		if why != "agent editor: no answer within 10s" {
			t.Error(why)
		}
	}
}

// TestWhoSpeaks: an opponent's answers, and those of the base, are stored as theirs; an agent that says nothing makes no message.
func TestWhoSpeaks(t *testing.T) {
	h, r := setting(t, harness.Settings{Command: self(t, "pair")})
	r.Actors[0].Policy = func(int) engine.Policy { return engine.Base }
	r.Opponent = func(index, sample, agent, _ int) (engine.Policy, string) {
		if index == 1 && agent == 1 {
			return "old", "update-1"
		}
		return "", ""
	}
	for _, e := range run(t, r, 2) {
		if e.Failed() != "" || e.Nodes[0].Agents[0].Learns() || e.Nodes[1].Agents[0].Learns() != (e.Index == 0) {
			t.Errorf("%+v", e)
		}
		if o := e.Nodes[1].Agents[0]; e.Index == 1 && (o.Policy != "old" || o.Opponent != "update-1") {
			t.Errorf("%+v", o)
		}
	}
	r.Player = h.Without(0)
	for _, e := range run(t, r, 2) {
		for _, n := range e.Nodes {
			if len(e.Nodes) != 2 || n.Agents[0].Agent != 1 || n.Agents[0].Messages[0].Content != "Better: " {
				t.Errorf("%d nodes: %+v", len(e.Nodes), n.Agents[0])
			}
		}
	}
}

// TestKept: with numbers of problems and ears for those that are over, as evaluations that are resumed have them.
func TestKept(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	want := run(t, r, 3)
	var mu sync.Mutex
	var over []int
	r.Numbers, r.Over = []int{2}, func(e *rollout.Episode) {
		mu.Lock()
		defer mu.Unlock()
		over = append(over, e.Index)
	}
	got, err := r.Run(t.Context(), "train", 3, problems(3)[2:])
	if err != nil || stored(t, got) != stored(t, want[2:]) || !slices.Equal(over, []int{2}) {
		t.Errorf("%v, %v: %s", err, over, stored(t, got))
	}
}

// TestProgress: whoever watches hears of calls, answers and tokens.
func TestProgress(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	var last rollout.Progress
	r.Watch = func(p rollout.Progress) { last = p }
	run(t, r, 2)
	if last.Completions != 8 || last.Whole != 8 {
		t.Errorf("%+v", last)
	}
}
