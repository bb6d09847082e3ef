package fuse

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// text is one that two teachers have read.
func given() *rollout.Episode {
	c := rollout.Completion{Tokens: []int{40, 41, 42}, Logprobs: make([]float32, 3)}
	for _, ce := range []float64{1.2, .8} {
		said := rollout.Teaching{CE: ce, Tokens: 3, Chars: 5}
		for range c.Tokens {
			said.Rows = append(said.Rows, []engine.Target{{Token: 50, Mass: .75}, {Token: 51, Mass: .25}})
		}
		c.Teaching = append(c.Teaching, said)
	}
	turn := rollout.AgentTurn{Prompt: []int{30, 31}, Completions: []rollout.Completion{c}}
	return &rollout.Episode{Nodes: []*rollout.Node{{Parent: -1, Agents: []rollout.AgentTurn{turn}, Joint: [][]int{{0}}}}}
}

// trainedBytes is the adapter after some updates on a text.
func trainedBytes(t *testing.T, lambda float64, change func(*rollout.Episode)) []byte {
	t.Helper()
	m, err := model.Open("../../train/testdata/tiny-base")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	e, err := native.Backend{}.Open(t.Context(), m, engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.(*native.Engine).Close()
	policies := learn.Policies{Sharing: "shared", FirstTrainedTurn: 1}
	sharing := learn.Sharing{Policies: policies, Bases: []int{0}}
	p := sharing.Policy(0, 0)
	if err := e.NewPolicy(t.Context(), p, engine.PolicySpec{Rank: 4, Alpha: 8, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	l, err := New(learn.Config{
		Settings:  []any{Settings{Fusion: MinCE, Per: PerToken, Schedule: Fixed, Lambda: lambda, Epochs: 1, Minibatches: 1}},
		Optimizer: learn.Optimizer{LR: .01, Beta1: .9, Beta2: .95, Eps: 1e-8, Decay: "none"}, Updates: 3, Actors: []rollout.Actor{{Engine: e}}, Turns: 1, Steps: learn.StepCounts{}, Tops: learn.StepCounts{},
		Sharing: sharing,
	})
	if err != nil {
		t.Fatal(err)
	}
	episode := given()
	change(episode)
	for update := range 3 {
		if err := l.Update(t.Context(), learn.Recorded(update, []*rollout.Episode{episode})); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if err := e.Save(t.Context(), p, filepath.Join(dir, "p")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "p", "adapter_model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// λ = 1 is plain language modelling, bit for bit, over the embedded engine; so are soft targets whose mass is all on the text.
func TestOneIsLanguageModelling(t *testing.T) {
	keep := func(*rollout.Episode) {}
	plain := trainedBytes(t, .5, func(e *rollout.Episode) { e.Nodes[0].Agents[0].Completions[0].Teaching = nil })
	if !bytes.Equal(plain, trainedBytes(t, 1, keep)) {
		t.Error("λ = 1 is not plain language modelling")
	}
	gold := func(e *rollout.Episode) {
		c := &e.Nodes[0].Agents[0].Completions[0]
		for j := range c.Teaching {
			for i, token := range c.Tokens {
				c.Teaching[j].Rows[i] = []engine.Target{{Token: token, Mass: 1}}
			}
		}
	}
	if !bytes.Equal(plain, trainedBytes(t, .5, gold)) {
		t.Error("teachers that say the text itself change what is learned")
	}
	if bytes.Equal(plain, trainedBytes(t, .5, keep)) {
		t.Error("teachers change nothing")
	}
}

// Rows that do not fit the text are an error that names the teacher.
func TestRowsThatDoNotFit(t *testing.T) {
	l := &learner{settings: Settings{Fusion: MinCE, Per: PerToken, Schedule: Fixed}}
	c := &given().Nodes[0].Agents[0].Completions[0]
	c.Teaching[1].Teacher, c.Teaching[1].Rows = "other", c.Teaching[1].Rows[:2]
	if _, err := l.targets(c, 0); err == nil || !strings.Contains(err.Error(), "other has 2 rows for a text of 3 tokens") {
		t.Errorf("error %v", err)
	}
}
