package actorcritic_test

import (
	"testing"

	"parley/rl/learn"
	"parley/rl/learn/actorcritic"
	"parley/rl/learn/learntest"
)

// TestCritics: critics of every kind take steps beside their policies, over one turn and over several.
func TestCritics(t *testing.T) {
	perAgent := learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1}
	for _, c := range []struct {
		name     string
		a        learn.Algorithm
		turns    int
		policies learn.Policies
		change   func(*actorcritic.Settings, *learn.Group)
		adapters int // that take optimizer steps
	}{
		{name: "own", a: actorcritic.IAC(), turns: 1, adapters: 4},
		{name: "own, reads answers", a: actorcritic.IAC(), turns: 1, adapters: 4, change: func(s *actorcritic.Settings, g *learn.Group) { s.Input, g.KL = "q", 0.1 }},
		{name: "shared head", a: actorcritic.IAC(), turns: 1, adapters: 2, change: func(s *actorcritic.Settings, _ *learn.Group) { s.Head = "shared" }},
		{name: "two turns", a: actorcritic.IAC(), turns: 2, adapters: 4},
		{name: "two turns, one policy a turn", a: actorcritic.IAC(), turns: 2, adapters: 4, policies: learn.Policies{Sharing: "per-turn", FirstTrainedTurn: 1}},
		{name: "the second turn alone", a: actorcritic.IAC(), turns: 2, adapters: 2, policies: learn.Policies{Sharing: "per-turn", FirstTrainedTurn: 2}},
		{name: "central", a: actorcritic.MAAC(), turns: 2, adapters: 3},
		{name: "central, reads answers", a: actorcritic.MAAC(), turns: 1, adapters: 3, change: func(s *actorcritic.Settings, _ *learn.Group) { s.Input = "q" }},
		{name: "central, frozen first agent", a: actorcritic.MAAC(), turns: 1, adapters: 2, policies: learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1, Frozen: []int{1}}},
		{name: "buffers", a: actorcritic.IAC(), turns: 1, adapters: 4, change: func(_ *actorcritic.Settings, g *learn.Group) { g.Buffer, g.TrainBatch = 3, 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := actorcritic.Settings{Input: "v", Head: "separate", Coef: 0.6, Clip: 0.2, Whiten: true}
			g := learn.Group{Size: 1, Discount: 0.5, RatioCap: 2}
			if c.change != nil {
				c.change(&s, &g)
			}
			if c.policies.Sharing == "" {
				c.policies = perAgent
			}
			settings := []any{s, g}
			m := learntest.NewTeam(t, learntest.Debate(t, 2, c.turns), c.policies, c.a.Critics(settings))
			l, err := c.a.New(m.Config(settings, 1, 4))
			if err != nil {
				t.Fatal(err)
			}
			episodes := m.Play(t, 0, 4)
			stats := learntest.Update(t, l, 0, episodes)
			if len(stats.GradNorm) != c.adapters {
				t.Errorf("gradients of %v, want %d adapters", stats.GradNorm, c.adapters)
			}
			if stats.ValueLoss <= 0 || stats.RatioMean == 0 {
				t.Errorf("value loss %g, mean ratio %g", stats.ValueLoss, stats.RatioMean)
			}
		})
	}
}

// TestTwoBases: a central critic lives on the engine of the agent that leads, whoever sits on others.
func TestTwoBases(t *testing.T) {
	settings := []any{actorcritic.Settings{Input: "q", Head: "separate", Coef: 0.6, Whiten: true}, learn.Group{Size: 1, Discount: 0.5}}
	perAgent := learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1}
	m := learntest.NewTeam(t, learntest.Debate(t, 2, 1), perAgent, learn.CriticsCentral)
	episodes := m.Play(t, 0, 4)
	config := m.Config(settings, 1, 4)
	second := m.Engine.Copy()
	config.Actors[1].Engine, config.Sharing.Bases = second, []int{0, 1}
	l, err := actorcritic.MAAC().New(config)
	if err != nil {
		t.Fatal(err)
	}
	learntest.Update(t, l, 0, episodes)
	if first, other := m.Engine.Steps(), second.Steps(); len(first) != 2 || first[1] != learn.CentralCritic || len(other) != 1 {
		t.Errorf("steps %v on the first base and %v on the other", first, other)
	}
}
