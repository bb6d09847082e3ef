package train_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/rl/rollout"
	"parley/serve/chatsession"
	"parley/task/user"
	"parley/train/lineup"
)

// scripted is what the agents of these teams write that are scripts: every kind of final answer can be read of it.
const scripted = "so it is \\boxed{7}\n7"

// recorder is a reward of a user's own, on a server, that keeps what it is asked about.
type recorder struct {
	sync.Mutex
	calls [][]string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var call struct{ Responses []string }
	if err := json.NewDecoder(q.Body).Decode(&call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Lock()
	defer r.Unlock()
	r.calls = append(r.calls, call.Responses)
	fmt.Fprint(w, "0.5")
}

// TestRewardsGetTextsAsWritten: in every protocol, with every way of reading answers, in training, in replays of episodes, in evaluation and in
// conversation, what a reward gets is the text of the tokens, and what a script said.
func TestRewardsGetTextsAsWritten(t *testing.T) {
	dir := t.TempDir()
	base, err := filepath.Abs("testdata/tiny-base")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"rows.jsonl": `{"question": "3 + 4?", "answer": "7"}` + "\n" + `{"question": "2 + 5?", "answer": "7"}` + "\n" + `{"question": "1 + 6?", "answer": "7"}` + "\n",
		"say.star":   fmt.Sprintf("def speak(messages, problem):\n    return %q\n", scripted),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	two, three := "agents: {a: {}, b: {script: say.star}}", "agents: {a: {}, b: {script: say.star}, c: {script: say.star}}"
	replay := "algorithm: c3\ngroup: {replay: [2, 1]}"
	tree, episodes := "algorithm: magrpo\ngroup: {size: 2}", "algorithm: magrpo\ngroup: {rollout: episodes, size: 2}"
	for name, c := range map[string]struct {
		team, learns string
		responses    int
	}{
		"debate":          {"protocol: debate, turns: 2, normalize_visible: true, " + two, tree, 2},
		"parallel":        {"protocol: parallel, turns: 1, " + two, tree, 2},
		"single":          {"protocol: single, turns: 2, agents: 1", tree, 1},
		"pipeline":        {"protocol: pipeline, turns: 2, " + two, episodes, 2},
		"leader":          {"protocol: leader, turns: 2, " + three, episodes, 3},
		"workflow, joint": {"protocol: workflow, " + three + ", answer: {joint: [c, a]}, workflow: [{ask: [b, c], prompt: x}, {ask: a, prompt: '{{.Last.b}}', shows: boxed}]", episodes, 2},
		"workflow, one":   {"protocol: workflow, " + two + ", answer: b, workflow: [{ask: a, prompt: x}, {ask: b, prompt: '{{.Last.a}}'}]", episodes, 1},
		"counterfactual":  {"protocol: workflow, " + two + ", answer: b, workflow: [{ask: a, prompt: x}, {ask: b, prompt: '{{.Last.a}}'}, {ask: a, prompt: '{{.Last.b}}'}]", episodes + "\ncredit: {influence: {alpha: 0.1}}", 1},
		"replay":          {"protocol: debate, turns: 2, normalize_visible: true, " + two, replay, 2},
	} {
		for final, match := range map[string]string{"boxed": "number", "last-line": "exact", "last-number": "number", "response": "exact"} {
			t.Run(name+", "+final, func(t *testing.T) {
				got := &recorder{}
				server := httptest.NewServer(got)
				defer server.Close()
				text := "name: x\nmodel: " + base + "\ntask: {name: data, path: rows.jsonl, match: " + match + ", final: " + final + "}\nteam: {" + c.team + "}\n" + c.learns +
					"\npolicies: {sharing: per-agent}\nsampling: {max_tokens: 4}\nreward: {source: user, user: {url: '" + server.URL + "'}}\ntraining: {updates: 1, problems: 1}\neval: {problems: 1, baselines: []}\n"
				file := filepath.Join(dir, strings.ReplaceAll(name+final, " ", "")+".yaml")
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				r, err := language.New().Load(file, nil)
				if err != nil {
					t.Fatal(err)
				}
				l, err := lineup.Open(t.Context(), r, native.Backend{})
				if err != nil {
					t.Fatal(err)
				}
				if err := l.AddPolicies(t.Context()); err != nil {
					t.Fatal(err)
				}
				people, err := chatsession.TeamOf(t.Context(), l, false)
				if err != nil {
					t.Fatal(err)
				}
				defer people.Close()
				for purpose, runner := range map[string]*rollout.Runner{"train": l.Rollout(), "eval": l.Evaluation(false)} {
					got.calls = nil
					runs, err := runner.Run(context.Background(), purpose, 1, l.HeldOut)
					if err != nil {
						t.Fatal(err)
					}
					asWritten(t, l, runs, got.calls, c.responses)
				}
				answered := func(texts []string) error {
					if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "7") && s != scripted }) {
						t.Errorf("who talks to the team hears %q", texts)
					}
					return nil
				}
				listener := chatsession.Listener{
					Begin: func(int, int) error { return nil }, Say: func(string) error { return nil }, Answer: answered,
					End: func(reply chatsession.Reply) error { return answered([]string{reply.Text}) },
				}
				if err := people.Ask(t.Context(), "3 + 4?", listener); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// TestParleyRewardGivesTextsAsWritten: parley reward asks about the responses of a line as they stand.
func TestParleyRewardGivesTextsAsWritten(t *testing.T) {
	got := &recorder{}
	server := httptest.NewServer(got)
	defer server.Close()
	items, err := user.Items(t.Context(), user.Settings{URL: server.URL, Most: 1, Deadline: time.Minute}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := items.Read([]byte(`{"truth": "7"}`), 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := items.Score(t.Context(), p, []string{scripted, " 7\n"}); err != nil || len(got.calls) != 1 || !slices.Equal(got.calls[0], []string{scripted, " 7\n"}) {
		t.Errorf("the reward got %q, %v", got.calls, err)
	}
}

// asWritten checks that a reward was asked about so many texts of episodes a call, each the text of its tokens.
func asWritten(t *testing.T, l lineup.Lineup, episodes []*rollout.Episode, calls [][]string, responses int) {
	t.Helper()
	var texts []string
	for _, e := range episodes {
		if e.Failed() != "" {
			t.Fatal(e.Failed())
		}
		for _, n := range e.Nodes {
			for _, a := range n.Agents {
				for _, c := range a.Completions {
					if want := l.BaseOf(a.Agent).Model.Text(c.Tokens); a.Speaker == "" && c.Text != want {
						t.Errorf("agent %d: text %q, tokens say %q", a.Agent, c.Text, want)
					}
					if a.Speaker != "" && c.Text != scripted {
						t.Errorf("agent %d says %q, not %q", a.Agent, c.Text, scripted)
					}
					texts = append(texts, c.Text)
				}
			}
		}
	}
	if len(calls) == 0 {
		t.Error("nobody asked the reward")
	}
	for _, call := range calls {
		if len(call) != responses || slices.ContainsFunc(call, func(s string) bool { return !slices.Contains(texts, s) }) {
			t.Errorf("the reward got %q, want %d of %q", call, responses, texts)
		}
	}
}
