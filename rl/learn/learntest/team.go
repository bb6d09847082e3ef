// Package learntest is what tests need to try a learner without a language model.
//
//	[Engine]   an engine whose policies are small tables; it notes what it is asked
//	[Team]     agents on such an engine who play episodes by a protocol
//
// Tests of one family look at single numbers with them. What every [learn.Learner] of an entry of the register must do is tested where the register
// is, in recipe/language.
package learntest

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/reward"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/answer"
	"parley/team"
	"parley/team/protocols"
)

// A Team is some agents on one engine.
type Team struct {
	Engine   *Engine
	Protocol team.Protocol
	Sharing  learn.Sharing
	Group    int                  // completions of an agent at a node
	Joint    credit.JointMode     // empty: aligned
	Shape    string               // of the rollouts, where an algorithm has one of its own
	Reward   func(string) float64 // of what the team has said, one text after the other; nil: [Reward]
	// Untrained says that answers are the base's.
	Untrained bool
	// Speakers speak in the place of policies, by agent.
	Speakers map[int]team.Speaker
}

// Reward pays for the first letter of the alphabet.
func Reward(texts string) float64 { return float64(strings.Count(texts, "a")) }

// MaxTokens is the length of the longest answers.
const MaxTokens = 3

// Debate is the protocol of agents who answer, see the others' answers, and answer again.
func Debate(t testing.TB, agents, turns int) team.Protocol {
	return protocol(t, protocols.Debate().Open, agents, turns)
}

// Pipeline is the protocol of agents who speak one after the other.
func Pipeline(t testing.TB, agents int) team.Protocol {
	return protocol(t, protocols.Pipeline().Open, agents, agents)
}

// Leader is the protocol of one agent who decides on what the others propose.
func Leader(t testing.TB, agents, turns int) team.Protocol {
	return protocol(t, protocols.Leader().Open, agents, turns)
}

func protocol(t testing.TB, open func(team.Settings) (team.Protocol, error), agents, turns int) team.Protocol {
	t.Helper()
	p, err := open(team.Settings{
		Agents: agents, Turns: turns, SeeOthers: true,
		Prompts: team.Prompts{First: "{{.Question}} {{.Agent}}", Later: "{{range .Others}}{{.Text}} {{end}}{{.Turn}}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// NewTeam returns a team whose policies are on a new engine: those of the sharing, with critics where c says so.
func NewTeam(t testing.TB, p team.Protocol, policies learn.Policies, c learn.Critics) *Team {
	t.Helper()
	out := &Team{Engine: NewEngine(), Protocol: p, Sharing: learn.Sharing{Policies: policies, Bases: make([]int, p.Agents())}, Group: 1}
	trained := out.Sharing.Trained(p.Turns(), c.Beside())
	if c == learn.CriticsCentral {
		trained = append(trained, learn.Trainee{Policy: learn.CentralCritic})
	}
	for _, x := range trained {
		if err := out.Engine.NewPolicy(t.Context(), x.Policy, engine.PolicySpec{ValueHead: c.Valued(x.Policy)}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Actors are those of the team's agents.
func (m *Team) Actors() []rollout.Actor {
	var out []rollout.Actor
	for agent := range m.Protocol.Agents() {
		policy := func(turn int) engine.Policy { return m.Sharing.Policy(turn, agent) }
		if m.Untrained {
			policy = func(int) engine.Policy { return engine.Base }
		}
		out = append(out, rollout.Actor{Engine: m.Engine, Codec: codec{}, Policy: policy, Speaker: m.Speakers[agent]})
	}
	return out
}

// Config is what a learner is told of the team and a run of some updates. The first trained agent leads.
func (m *Team) Config(settings []any, updates, problems int) learn.Config {
	c := learn.Config{
		Settings: settings, Seed: 1, Updates: updates, Problems: problems, MaxTokens: MaxTokens,
		Optimizer: learn.Optimizer{LR: 0.05, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, Decay: "none"},
		Reward:    learn.Reward{Scheme: reward.Scheme{Design: reward.Influence, Gamma: 1, PenaltyScope: reward.ScopeScore, IncentiveRule: reward.PaperRule}, Width: 1, Unreadable: answer.InvalidVotes},
		Actors:    m.Actors(), Sharing: m.Sharing, Turns: m.Protocol.Turns(), Steps: learn.StepCounts{}, Tops: learn.StepCounts{},
		EpochEnds: func(update int) bool { return update+1 == updates },
	}
	for c.Sharing.IsFrozen(c.Lead) {
		c.Lead++
	}
	return c
}

// Play lets the team answer some problems in an update, from 0.
func (m *Team) Play(t testing.TB, update, problems int) []*rollout.Episode {
	t.Helper()
	settings := rollout.Settings{Group: m.Group, Joint: m.Joint, MaxTokens: MaxTokens, Sampling: engine.Sampling{Temperature: 0.8}}
	if settings.Joint == "" {
		settings.Joint = credit.Aligned
	}
	pay := m.Reward
	if pay == nil {
		pay = Reward
	}
	r := rollout.Runner{Protocol: m.Protocol, Actors: m.Actors(), Scorer: scorer{pay, m.Shape == learn.Decisions}, Settings: settings, Seed: 1}
	switch m.Shape {
	case learn.Decisions:
		r.Protocol, r.Settings.Decides = team.InTurn(m.Protocol), learn.Group{Size: m.Group, Alpha: 1, Pick: "first"}.Decisions()
	case learn.Alternatives:
		r.Protocol, r.Settings.FanOut = team.InTurn(m.Protocol), []int{m.Group}
	}
	var asked []task.Problem
	for i := range problems {
		asked = append(asked, task.Problem{ID: fmt.Sprint(i), Question: fmt.Sprintf("problem %d of update %d", i, update), Truth: "a"})
	}
	episodes, err := r.Run(t.Context(), "train", update+1, asked)
	if err != nil {
		t.Fatal(err)
	}
	return episodes
}

// Reread returns episodes as they are read back from a run.
func Reread(t testing.TB, episodes []*rollout.Episode) []*rollout.Episode {
	t.Helper()
	data, err := json.Marshal(episodes)
	if err != nil {
		t.Fatal(err)
	}
	var out []*rollout.Episode
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A codec writes words as letters.
type codec struct{}

func (codec) Prompt(dialogue []team.Message) ([]int, error) {
	h := fnv.New32a()
	for _, m := range dialogue {
		fmt.Fprintln(h, m.Role, m.Content)
	}
	var out []int
	for x := h.Sum32(); len(out) < 4; x /= vocabulary {
		out = append(out, int(x%vocabulary))
	}
	return out, nil
}

func (codec) Text(tokens []int) string {
	var b strings.Builder
	for _, t := range tokens {
		if t != End {
			b.WriteByte(byte('a' + t - 1))
		}
	}
	return b.String()
}

func (codec) Stop() []int { return []int{End} }

// A scorer pays for what the team has said, once everybody has spoken, or for each message by itself. The answer of a text is its least
// letter, which is right if it is the problem's truth.
type scorer struct {
	pay  func(string) float64
	each bool
}

func (s scorer) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, item := range turn {
		n := item.Node
		for a := range n.Agents {
			for i := range n.Agents[a].Completions {
				c := &n.Agents[a].Completions[i]
				if c.Score = s.pay(c.Text); c.Text != "" {
					c.Answer, c.HasAnswer = string(slices.Min([]byte(c.Text))), true
				}
				c.Correct = c.HasAnswer && c.Answer == item.Problem.Right()
			}
		}
		n.Rewards = make([]float64, len(n.Joint))
		for j, action := range n.Joint {
			if s.each {
				n.Rewards[j] = n.Agents[0].Completions[action[0]].Score
			} else if texts, complete := item.Responses(action); complete {
				n.Rewards[j] = s.pay(strings.Join(texts, " "))
			}
		}
	}
	return nil
}

// Update lets a learner credit the episodes of an update and learn from them.
func Update(t *testing.T, l learn.Learner, update int, episodes []*rollout.Episode) *learn.Stats {
	t.Helper()
	s := learn.Recorded(update, episodes)
	if err := l.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return s.Stats
}

// Changed are the names of the policies that differ between two lists of an engine's policies.
func Changed(before, after []string) (out []string) {
	for i := range before {
		if name, _, _ := strings.Cut(after[i], ":"); before[i] != after[i] {
			out = append(out, name)
		}
	}
	return out
}
