package team_test

import (
	"strings"
	"testing"

	"parley/team"
	"parley/team/protocols"
	"parley/team/teamtest"
)

// TestProtocols: every protocol does what all must do.
func TestProtocols(t *testing.T) {
	prompts := team.Prompts{System: "S", First: "{{.Question}} {{.Fields.title}} {{.Role}}", Later: "{{range .Others}}{{.Text}}{{end}} again"}
	for name, c := range map[string]struct {
		open  func(team.Settings) (team.Protocol, error)
		turns int
	}{
		"debate": {protocols.Debate().Open, 3}, "parallel": {protocols.Parallel().Open, 2}, "single": {protocols.Single().Open, 2}, "central": {protocols.Central().Open, 1},
		"pipeline": {protocols.Pipeline().Open, 1}, "leader": {protocols.Leader().Open, 4},
	} {
		t.Run(name, func(t *testing.T) {
			s := team.Settings{Agents: 3, Turns: c.turns, SeeOthers: true, Prompts: prompts, Roles: []string{"a", "b", "c"}}
			if name == "single" {
				s.Agents, s.Roles = 1, nil
			}
			p, err := c.open(s)
			if err != nil {
				t.Fatal(err)
			}
			teamtest.Run(t, p)
		})
	}
}

// last is the user message of the only ask, or of agent's.
func last(t *testing.T, p team.Protocol, h team.History, agent int) string {
	t.Helper()
	asks, err := p.Next(teamtest.Problem, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range asks {
		if a.Agent == agent {
			return a.Messages[len(a.Messages)-1].Content
		}
	}
	t.Fatalf("agent %d is not asked", agent+1)
	return ""
}

// TestPipeline: one agent a turn, each with its own prompt and what those before it wrote.
func TestPipeline(t *testing.T) {
	p, err := protocols.Pipeline().Open(team.Settings{Agents: 3, Turns: 1, Prompts: team.Prompts{First: "{{.Role}}: {{.Question}}"}, Roles: []string{"write", "check", "edit"}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Turns() != 3 {
		t.Errorf("%d turns", p.Turns())
	}
	if got := last(t, p, nil, 0); got != "write: How many?" {
		t.Errorf("agent 1 is asked %q", got)
	}
	h := team.History{{Turn: 0, Agent: 0, Text: " seven \n"}, {Turn: 1, Agent: 1, Text: "right"}}
	if got, want := last(t, p, h, 2), "edit: How many?\n\nThose before you wrote:\n\nAgent 1:\nseven\n\nAgent 2:\nright"; got != want {
		t.Errorf("agent 3 is asked %q, want %q", got, want)
	}
}

// TestLeader: the others propose, the first agent decides on what they wrote, and they read its decision in the next round.
func TestLeader(t *testing.T) {
	p, err := protocols.Leader().Open(team.Settings{Agents: 3, Turns: 4, Prompts: team.Prompts{First: "{{.Question}}"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := last(t, p, nil, 1); got != "How many?" {
		t.Errorf("agent 2 is asked %q", got)
	}
	h := team.History{{Turn: 0, Agent: 1, Text: "six"}, {Turn: 0, Agent: 2, Text: "seven"}}
	if got, want := last(t, p, h, 0), "How many?\n\nYour team wrote:\n\nAgent 2:\nsix\n\nAgent 3:\nseven"; got != want {
		t.Errorf("the leader is asked %q, want %q", got, want)
	}
	h = append(h, team.Answer{Turn: 1, Agent: 0, Text: "seven"})
	if got := last(t, p, h, 2); !strings.HasSuffix(got, "The team's leader answered:\n\nAgent 1:\nseven") {
		t.Errorf("agent 3 is asked %q", got)
	}
	for _, s := range []team.Settings{{Agents: 1, Turns: 2}, {Agents: 2, Turns: 3}, {Agents: 2}} {
		if _, err := protocols.Leader().Open(s); err == nil {
			t.Errorf("%d agents and %d turns are accepted", s.Agents, s.Turns)
		}
	}
}
