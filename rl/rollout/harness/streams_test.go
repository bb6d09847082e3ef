package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/rl/rollout"
	"parley/rl/rollout/harness"
	"parley/team"
)

// shipped lets the agents of a runner speak with the shipped base, which takes calls in at any time.
func shipped(t *testing.T, r *rollout.Runner) *native.Engine {
	t.Helper()
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	e, err := native.Open(m.Source, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(); m.Close() })
	for i := range r.Actors {
		a := &r.Actors[i]
		a.Engine, a.Codec, a.Never = e, m, m.Unused()
		policy := a.Policy(0)
		if err := e.NewPolicy(t.Context(), policy, engine.PolicySpec{Rank: 2, Alpha: 4, Targets: []string{"q_proj"}, Seed: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// drawn are the tokens of the calls of an episode, by agent, prompt and how often it came.
func drawn(e *rollout.Episode) []string {
	times := map[string]int{}
	var out []string
	for _, n := range e.Nodes {
		a := n.Agents[0]
		key := fmt.Sprint(n.Sample, a.Agent, a.Prompt)
		out = append(out, fmt.Sprint(key, times[key], a.Completions[0].Tokens, a.Completions[0].Logprobs))
		times[key]++
	}
	slices.Sort(out)
	return out
}

// TestOrders: 16 calls at a time, in any order of arrival, get equal tokens by prompt and times, on engines that take calls in between steps, and on
// others.
func TestOrders(t *testing.T) {
	for _, kind := range []string{"continuous", "gathered"} {
		var want []string
		for order := range 8 {
			var words []string
			for _, at := range rand.New(rand.NewPCG(uint64(order), 0)).Perm(16) {
				words = append(words, fmt.Sprint(at%4))
			}
			_, r := setting(t, harness.Settings{Command: self(t, "parallel", strings.Join(words, " "))})
			if kind == "continuous" {
				shipped(t, r)
			}
			e := run(t, r, 1)[0]
			if e.Failed() != "" || len(e.Nodes) != 34 {
				t.Fatal(e.Failures(), len(e.Nodes))
			}
			last := e.Nodes[16]
			if got := drawn(e); want == nil {
				want = got
			} else if !slices.Equal(got, want) {
				t.Fatalf("%s, order %d: %q\nwant %q", kind, order, got, want)
			}
			if last.Agents[0].Messages[0].Content != "sum up" {
				t.Errorf("the last message answers %q", last.Agents[0].Messages[0].Content)
			}
		}
	}
}

// TestFreshWeights: answers are drawn from the policies as they are when their update is played, with the log-probabilities that these give them, bit for
// bit; once a policy has changed, the same prompt has others.
func TestFreshWeights(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	e := shipped(t, r)
	before := run(t, r, 2)
	first := func(list []*rollout.Episode) *rollout.AgentTurn { return &list[0].Nodes[0].Agents[0] }
	var data []engine.Datum
	for _, n := range before[0].Nodes {
		a := n.Agents[0]
		data = append(data, engine.Datum{Policy: a.Policy, Tokens: slices.Concat(a.Prompt, a.Completions[0].Tokens), ScoreFrom: len(a.Prompt), Sampling: a.Sampling, Mask: a.Mask})
	}
	err := e.ForwardBackward(t.Context(), data, func(_ int, outputs []engine.Output) ([]engine.Gradient, error) {
		out := make([]engine.Gradient, len(outputs))
		for i, o := range outputs {
			if !slices.Equal(o.Logprobs, before[0].Nodes[i].Agents[0].Completions[0].Logprobs) {
				t.Errorf("node %d is trained at %v", i, o.Logprobs)
			}
			out[i].Logprobs = make([]float32, len(o.Logprobs))
			for k := range out[i].Logprobs {
				out[i].Logprobs[k] = -1
			}
		}
		return out, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(t.Context(), "policy-writer", engine.Adam{LR: .1, Beta1: .9, Beta2: .99, Eps: 1e-8}); err != nil {
		t.Fatal(err)
	}
	after := run(t, r, 2)
	if a, b := first(before), first(after); !slices.Equal(a.Prompt, b.Prompt) || slices.Equal(a.Completions[0].Logprobs, b.Completions[0].Logprobs) {
		t.Errorf("%v, then %v", a.Completions[0], b.Completions[0])
	}
}

// TestChoices: several choices are as many messages, in a row.
func TestChoices(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "choices"), Pays: true})
	for _, e := range run(t, r, 2) {
		if e.Failed() != "" || len(e.Nodes) != 8 {
			t.Fatal(e.Failures(), len(e.Nodes))
		}
		texts := map[string]bool{}
		for i, n := range e.Nodes[:4] {
			if n.Agents[0].Agent != i/3 || (n.Own[0][0] == 1) != (i == 0) {
				t.Errorf("node %d: %+v", i, n)
			}
			texts[n.Agents[0].Completions[0].Text] = true
		}
		if len(texts) != 4 {
			t.Errorf("%v", texts)
		}
	}
}

// TestServer: a server that is asked by POST answers at once, or reports later; what it says otherwise fails its episodes.
func TestServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		data, _ := io.ReadAll(q.Body)
		var b begin
		if err := json.Unmarshal(data, &b); err != nil || q.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		result := pair(b)
		switch b.Item["question"] {
		case "question 0":
			_ = json.NewEncoder(w).Encode(result)
		case "question 1":
			w.WriteHeader(http.StatusAccepted)
			go b.report(result)
		case "question 3":
			w.WriteHeader(http.StatusAccepted)
		case "question 4":
		default:
			http.Error(w, "ouch", 500)
		}
	}))
	defer server.Close()
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	want := run(t, r, 2)
	_, r = setting(t, harness.Settings{URL: server.URL, Key: "secret"})
	got := run(t, r, 3)
	if stored(t, got[:2]) != stored(t, want) {
		t.Errorf("%s\nwant %s", stored(t, got[:2]), stored(t, want))
	}
	if why := got[2].Failed(); !strings.Contains(why, "500 Internal Server Error: ouch") || len(got[2].Nodes) != 4 {
		t.Errorf("%q", why)
	}
	_, r = setting(t, harness.Settings{URL: server.URL, Key: "secret", Time: time.Second})
	got = run(t, r, 5)
	for i, want := range []string{"it answered 202 and reported nothing within team.harness.seconds, 1 s", ": it answered nothing"} {
		if why := got[3+i].Failed(); !strings.HasSuffix(why, want) {
			t.Errorf("%q, want %q", why, want)
		}
	}
}

// TestExtends: a growing chat goes on with itself, an edited one does not.
func TestExtends(t *testing.T) {
	h, r := setting(t, harness.Settings{Command: self(t, "chat")})
	run(t, r, 1)
	if m := h.Take(3); m.Extends == nil || *m.Extends != .5 || m.Calls["editor"] != 0 || m.Calls["writer"] != 3 {
		t.Errorf("%+v", m)
	}
}

// TestGoOn: a run that goes on from a checkpoint counts what was played before it.
func TestGoOn(t *testing.T) {
	h, r := setting(t, harness.Settings{Command: self(t, "chat")})
	run(t, r, 1)
	counted := h.Counted(3)
	want := h.Take(3)
	fresh, _ := setting(t, harness.Settings{Command: self(t, "chat")})
	if err := fresh.GoOn(3, counted); err != nil {
		t.Fatal(err)
	}
	if got := fresh.Take(3); want == nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if h.Counted(3) != nil || fresh.GoOn(3, []byte("{")) == nil {
		t.Error("there is something after it was taken, or nonsense is taken")
	}
}

// TestTruncated: an answer without an end is left out of the loss, or pays for it, as in every rollout.
func TestTruncated(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	r.Settings.Truncated = rollout.Truncated{Mask: true, Penalty: .25}
	for _, n := range run(t, r, 1)[0].Nodes {
		if c := n.Agents[0].Completions[0]; !c.Masked || c.Penalty != .25 || c.Stop != engine.StopLength {
			t.Errorf("%+v", c)
		}
	}
}

// TestOwnDraw: an agent draws by its own settings, and the episode says so.
func TestOwnDraw(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	r.Actors[1].Own = func(d rollout.Draw) rollout.Draw {
		d.Sampling.Temperature, d.MaxTokens, d.MinTokens = .5, 2, 7
		return d
	}
	r.Actors[1].Never = [][2]int{{3, 5}}
	for i, n := range run(t, r, 1)[0].Nodes {
		a := n.Agents[0]
		want := engine.Mask{}
		if i%2 == 1 {
			want = engine.Mask{Never: [][2]int{{3, 5}}, Least: 2}
		}
		if a.Sampling.Temperature != []float64{1, .5}[i%2] || len(a.Completions[0].Tokens) != []int{4, 2}[i%2] || fmt.Sprint(a.Mask) != fmt.Sprint(want) {
			t.Errorf("%+v", a)
		}
	}
}

// A lost speaker waits for the end of its context.
type lost struct{ speaker }

func (lost) Speak(ctx context.Context, _ []team.SpeakerAsk) ([]team.Reply, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestSpeakerWaits: a speaker that does not answer is left when the episode's time is over.
func TestSpeakerWaits(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair"), Time: 1e9 / 2})
	r.Actors[1].Speaker = lost{}
	f := failures(run(t, r, 1))
	if len(f) != 2 || !strings.Contains(f[0], "it took longer than team.harness.seconds, 0.5 s (2 calls, the last of editor") {
		t.Errorf("%q", f)
	}
}
