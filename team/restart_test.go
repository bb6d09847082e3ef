package team_test

import (
	"slices"
	"testing"

	"parley/task"
	"parley/team"
	"parley/team/protocols"
	"parley/team/teamtest"
)

// TestRestart: an answer with the word drops what its agent said before, and nothing else; a restart that is taken back drops nothing.
func TestRestart(t *testing.T) {
	prompts := team.Prompts{First: "{{.Question}}", Later: "own {{.Own.Text}}{{range .Others}} <{{.Text}}>{{end}}"}
	whole, err := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 4, SeeOthers: true, Prompts: prompts})
	if err != nil {
		t.Fatal(err)
	}
	p := team.Restart(whole, "<restart>")
	h := team.History{
		{Turn: 0, Agent: 0, Text: "a0"},
		{Turn: 0, Agent: 1, Text: "b0"},
		{Turn: 1, Agent: 0, Text: "a1 <restart>"},
		{Turn: 1, Agent: 1, Text: "b1"},
	}
	dropped := slices.Clone(h)
	dropped[0].Text = ""
	for name, c := range map[string]struct {
		p       team.Protocol
		history team.History
	}{"restart": {p, dropped}, "kept": {unrestarted(t, p, 1, 0), h}, "another one kept": {unrestarted(t, p, 1, 1), dropped}} {
		want, err := whole.Next(teamtest.Problem, c.history)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.p.Next(teamtest.Problem, h)
		if err != nil || !slices.EqualFunc(got, want, func(a, b team.Ask) bool {
			return a.Agent == b.Agent && slices.EqualFunc(a.Messages, b.Messages, team.Message.Equal)
		}) {
			t.Errorf("%s: asked %+v, %v, want %+v", name, got, err, want)
		}
	}
	if _, ok := team.Unrestarted(whole, 1, 0); ok {
		t.Error("a team without restarts has one to take back")
	}
}

func unrestarted(t *testing.T, p team.Protocol, turn, agent int) team.Protocol {
	t.Helper()
	kept, ok := team.Unrestarted(p, turn, agent)
	if !ok {
		t.Fatal("the protocol knows no restarts")
	}
	return kept
}

// TestRestartDecidesOnAll: who speaks next hangs on everything that was said.
func TestRestartDecidesOnAll(t *testing.T) {
	p := team.Restart(picky{}, "!")
	asks, err := p.Next(teamtest.Problem, team.History{{Agent: 0, Text: "go on"}, {Turn: 1, Agent: 0, Text: "!"}})
	if err != nil || len(asks) != 1 || asks[0].Prompt != "whole" {
		t.Errorf("asked %+v, %v, want one ask of the whole history", asks, err)
	}
}

// picky asks its agent once more only if it said "go on" first.
type picky struct{ team.Protocol }

func (picky) Next(_ task.Problem, h team.History) ([]team.Ask, error) {
	if len(h) > 0 && h[0].Text != "go on" {
		return nil, nil
	}
	return []team.Ask{{Turn: len(h), Prompt: "whole"}}, nil
}
