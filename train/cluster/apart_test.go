package cluster_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/engine/tinker/tinkertest"
	"parley/model"
	"parley/rl/rollout"
	"parley/train/lineup"
)

// together is an engine that is asked turn by turn: nobody sees how many calls it serves.
type together struct{ engine.Engine }

// TestProblemsAdvanceApart: over a server no problem waits for another. The first completion of one is held back until all others have spoken in all
// turns; the episodes are those of problems that wait for one another, byte for byte.
func TestProblemsAdvanceApart(t *testing.T) {
	m, err := model.Open("parley-base")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	e, err := native.Open(m.Source, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	server := tinkertest.New(e, "base", t.TempDir())
	gate := &gate{inner: server}
	l := httptest.NewServer(gate)
	defer l.Close()
	const problems, agents, turns, size = 3, 2, 2, 2
	r := load(t, "magrpo-tiny", l.URL, append(fits, "sampling.max_tokens=8", "training.problems=3", "team.turns=2", "group.size=2")...)
	team, err := lineup.Open(t.Context(), r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	defer team.Close()
	if err := team.AddPolicies(t.Context()); err != nil {
		t.Fatal(err)
	}
	play := func(r *rollout.Runner) string {
		list, err := r.Run(t.Context(), "train", 1, team.Training.Batch(0))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	whole := team.Rollout()
	for i, a := range whole.Actors {
		whole.Actors[i].Engine = together{a.Engine}
	}
	want := play(whole)
	gate.hold((problems-1)*agents*turns*size + size) // all that others say, and what the other agent says beside it
	if got := play(team.Rollout()); got != want {
		t.Errorf("other episodes\n%s\n%s", got, want)
	}
	if !gate.passed() {
		t.Error("nothing was held back")
	}
}

// A gate holds back the samples of the first prompt that it is asked for, until so many others were drawn.
type gate struct {
	inner http.Handler

	mu      sync.Mutex
	prompt  string
	others  int // that are waited for; 0: none are held
	waiting []chan struct{}
	through bool
}

func (g *gate) hold(others int) {
	g.mu.Lock()
	g.others = others
	g.mu.Unlock()
}

func (g *gate) passed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.through
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/asample") {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		g.wait(body)
	}
	g.inner.ServeHTTP(w, r)
}

func (g *gate) wait(body []byte) {
	var asked struct {
		Prompt json.RawMessage `json:"prompt"`
	}
	_ = json.Unmarshal(body, &asked)
	g.mu.Lock()
	if g.others == 0 {
		g.mu.Unlock()
		return
	}
	if g.prompt == "" {
		g.prompt = string(asked.Prompt)
	}
	if string(asked.Prompt) == g.prompt && !g.through {
		here := make(chan struct{})
		g.waiting = append(g.waiting, here)
		g.mu.Unlock()
		<-here
		return
	}
	if g.others--; g.others == 0 {
		g.through = true
		for _, one := range g.waiting {
			close(one)
		}
		g.waiting = nil
	}
	g.mu.Unlock()
}
