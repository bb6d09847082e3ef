package language_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/rl/learn/learntest"
	"parley/rl/rollout"
	"parley/team"
)

// A reader says some letters, the first one among them, which is right.
type reader struct{}

// Kind implements [team.Speaker].
func (reader) Kind() string { return "script" }

// Speak implements [team.Speaker].
func (reader) Speak(_ context.Context, asks []team.SpeakerAsk) ([]team.Reply, error) {
	out := make([]team.Reply, len(asks))
	for i, a := range asks {
		out[i].Text = "a" + strings.Repeat(string(rune('a'+a.Seed%learntest.Result)), int(a.Seed%learntest.MaxTokens))
	}
	return out, nil
}

// noModels: agents beside one that is no model learn, also after its episodes were read back; of what that one says no engine hears a token to
// score or to train, and no step is its.
func noModels(t *testing.T, c Case) {
	policies := perAgent
	policies.Frozen = []int{1}
	m := c.debate(t, policies)
	m.Speakers = map[int]team.Speaker{0: reader{}}
	episodes := m.Play(t, 0, problems)
	other := *m
	other.Engine = m.Engine.Copy()
	c.teach(t, m, 1, nil).update(t, 0, episodes)
	c.teach(t, &other, 1, nil).update(t, 0, learntest.Reread(t, episodes))
	same(t, "calls", other.Engine.Calls, m.Engine.Calls)
	steps := m.Engine.Steps()
	if len(steps) == 0 {
		t.Error("nobody learns beside an agent that is no model")
	}
	for _, name := range steps {
		if name == "" || strings.Contains(string(name), "agent1") {
			t.Errorf("%q takes a step", name)
		}
	}
	for _, e := range episodes {
		for _, n := range e.Nodes {
			if n.Agents[0].Agent != 0 {
				continue
			}
			tokens := slices.ContainsFunc(n.Agents[0].Completions, func(c rollout.Completion) bool { return len(c.Tokens) > 0 })
			if n.Agents[0].Speaker == "" || tokens {
				t.Fatalf("it is recorded as %+v", n.Agents[0])
			}
		}
	}
}
