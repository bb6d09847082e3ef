package keep_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"parley/engine"
	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/task"
	"parley/team"
	"parley/team/protocols"
)

// A teller is an engine whose texts are numbers of its requests' seeds; it ends with an error once it was asked so often.
type teller struct {
	engine.Engine
	slots  int
	most   int // calls
	calls  int
	mu     sync.Mutex
	drawn  int
	broken error
}

func (e *teller) Slots() int { return e.slots }

func (e *teller) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.calls++; e.most > 0 && e.calls > e.most {
		return nil, e.broken
	}
	e.drawn += len(reqs)
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		out[i] = engine.Sample{Tokens: []int{int(r.Seed % 1000)}, Logprobs: []float32{-0.25}, Stop: engine.StopEOS}
	}
	return out, nil
}

type codec struct{}

func (codec) Prompt([]team.Message) ([]int, error) { return []int{1, 2}, nil }
func (codec) Text([]int) string                    { return "text" }
func (codec) Stop() []int                          { return nil }

// free gives every answer a reward of its first token; those of some problems fail.
type free struct{ fails map[int]bool }

func (f free) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, x := range turn {
		if f.fails[len(x.Problem.ID)] {
			x.Node.Fail("nobody answers")
			continue
		}
		for _, joint := range x.Node.Joint {
			x.Node.Rewards = append(x.Node.Rewards, float64(x.Node.Agents[0].Completions[joint[0]].Tokens[0]))
		}
	}
	return nil
}

// memory keeps in a map.
type memory struct {
	mu    sync.Mutex
	known map[int][]byte
}

func (m *memory) Load(number int) []byte { return m.known[number] }

func (m *memory) Save(number int, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[number] = data
}

func problems() (out []task.Problem) {
	id := ""
	for range 40 {
		id += "x"
		out = append(out, task.Problem{ID: id, Question: "?"})
	}
	return out
}

func runner(t *testing.T, e *teller, fails map[int]bool) *rollout.Runner {
	actor := rollout.Actor{Engine: e, Codec: codec{}, Policy: func(int) engine.Policy { return engine.Base }}
	protocol, err := protocols.Single().Open(team.Settings{Turns: 2, Prompts: team.Prompts{First: "{{.Question}}", Later: "{{.Question}}"}})
	if err != nil {
		t.Fatal(err)
	}
	return &rollout.Runner{
		Protocol: protocol, Actors: []rollout.Actor{actor}, Scorer: free{fails},
		Settings: rollout.Settings{Group: 1, MaxTokens: 4}, Seed: 7,
	}
}

// TestGoesOn: a rollout that ends in the middle is done again with the problems alone that were not over, and is the same; what failed is played again.
func TestGoesOn(t *testing.T) {
	broken := errors.New("broken")
	for name, slots := range map[string]int{"together": 0, "one by one": 2} {
		t.Run(name, func(t *testing.T) {
			fails := map[int]bool{3: true}
			whole := &teller{slots: slots}
			want, err := runner(t, whole, fails).Run(t.Context(), "measure", 2, problems())
			if err != nil {
				t.Fatal(err)
			}
			m := &memory{known: map[int][]byte{}}
			first := &teller{slots: slots, most: 3 + 30*slots, broken: broken}
			if _, err := keep.Run(t.Context(), runner(t, first, fails), m, "measure", 2, problems()); !errors.Is(err, broken) {
				t.Fatal(err)
			}
			kept := len(m.known)
			if kept < 10 || kept > 39 || m.known[2] != nil {
				t.Fatalf("%d problems are kept", kept)
			}
			second := &teller{slots: slots}
			got, err := keep.Run(t.Context(), runner(t, second, fails), m, "measure", 2, problems())
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if !reflect.DeepEqual(shown(want[i]), shown(got[i])) {
					t.Errorf("problem %d: %v, want %v", i, shown(got[i]), shown(want[i]))
				}
			}
			if second.drawn != whole.drawn-2*kept {
				t.Errorf("%d answers, want %d", second.drawn, whole.drawn-2*kept)
			}
		})
	}
}

// What is kept of another problem, or is no episode, is not taken.
func TestStrange(t *testing.T) {
	m := &memory{known: map[int][]byte{}}
	if _, err := keep.Run(t.Context(), runner(t, &teller{}, nil), m, "measure", 0, problems()); err != nil {
		t.Fatal(err)
	}
	m.known[1], m.known[2], m.known[3] = m.known[5], []byte("{"), []byte(`{"index":3}`)
	e := &teller{}
	if _, err := keep.Run(t.Context(), runner(t, e, nil), m, "measure", 0, problems()); err != nil || e.drawn != 6 {
		t.Errorf("%d answers are drawn again, want 6; %v", e.drawn, err)
	}
}

// shown is what an episode holds.
func shown(e *rollout.Episode) (out []any) {
	out = append(out, e.Index, e.Update, e.Problem.ID, e.Failed())
	for _, n := range e.Nodes {
		out = append(out, n.Turn, n.Parent, n.Agents[0].Completions[0].Tokens, slices.Clone(n.Rewards), n.Failed)
	}
	return out
}
