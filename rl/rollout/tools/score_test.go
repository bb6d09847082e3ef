package tools_test

import (
	"encoding/json"
	"slices"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/rl/rollout/tools"
	"parley/task"
	"parley/team"
	"parley/team/protocols"
)

// The agent's own tokens have the ids and the log-probabilities that they were drawn with, bit for bit: a policy that scores the whole turn says
// the same of them, with the results given; also after the episode was written and read back, and whatever masks its tokens were drawn under.
func TestOwnTokensAreScoredAsDrawn(t *testing.T) {
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	e, err := native.Open(m.Source, engine.Options{ScoreAsSampled: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	a := equip(t, m, tools.Settings{Calls: 2, ResultTokens: 20, Form: tools.Text, Close: "="})
	p, err := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 2, SeeOthers: true, Prompts: team.Short})
	if err != nil {
		t.Fatal(err)
	}
	var problems []task.Problem
	for _, q := range []string{"Ana has 23 pens and gets 19 more. How many pens are there?", "Zoe sees 32 bees. 39 more fly in. 28 more fly in. How many bees are there now?"} {
		problems = append(problems, task.Problem{ID: q, Question: q})
	}
	r := &rollout.Runner{Protocol: p, Scorer: nothing{}, Seed: 3, Settings: rollout.Settings{
		Group: 3, Joint: "aligned", MaxTokens: 40, MinTokens: 9, Sampling: engine.Sampling{Temperature: 0.8, TopK: 100, TopP: 0.98}, ReuseInBackward: true,
	}}
	for range 2 {
		r.Actors = append(r.Actors, rollout.Actor{Engine: e, Codec: a, Tools: a, Policy: func(int) engine.Policy { return engine.Base }, Context: 512, Never: m.Unused()})
	}
	episodes, err := r.Run(t.Context(), "test", 1, problems)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, episode := range episodes {
		data, err := json.Marshal(episode)
		if err != nil {
			t.Fatal(err)
		}
		read, err := rollout.ReadEpisode(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range read.Nodes {
			for i := range n.Agents {
				calls += score(t, e, m, &n.Agents[i])
			}
		}
	}
	if calls < 20 {
		t.Errorf("only %d calls", calls)
	}
	alone, err := r.Run(t.Context(), "test", 1, problems[:1])
	if err != nil {
		t.Fatal(err)
	}
	one, _ := json.Marshal(alone[0])
	if both, _ := json.Marshal(episodes[0]); !slices.Equal(one, both) {
		t.Error("an episode depends on what else is in the batch")
	}
}

// score compares the completions of a turn with what the engine says of them, and counts their calls.
func score(t *testing.T, e engine.Engine, m *model.Model, asked *rollout.AgentTurn) (calls int) {
	t.Helper()
	for i := range asked.Completions {
		c := &asked.Completions[i]
		calls += len(c.Calls)
		out, err := e.Forward(t.Context(), []engine.Datum{learn.Datum(engine.Base, asked, c)})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out[0].Logprobs, c.Logprobs) {
			t.Errorf("%q was drawn with %v, and is scored with %v", c.Text, c.Logprobs, out[0].Logprobs)
		}
		if sequence, _ := c.Sequence(); m.Text(sequence) != c.Text || len(c.Tokens) > 40 {
			t.Errorf("%q has the tokens of %q", c.Text, m.Text(sequence))
		}
	}
	return calls
}
