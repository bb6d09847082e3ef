package protocols_test

import (
	"testing"

	"parley/task"
	"parley/team"
	"parley/team/protocols"
)

// TestHarness: a team in a program has a size and an answer, and nobody here knows who is asked.
func TestHarness(t *testing.T) {
	p, err := protocols.Harness().Open(team.Settings{Agents: 3, Turns: 64})
	if err != nil {
		t.Fatal(err)
	}
	a := p.(team.Answering)
	if p.Agents() != 3 || p.Turns() != 64 || !a.Answers() || !protocols.InProgram(p) {
		t.Errorf("%d agents, %d turns, answers %v", p.Agents(), p.Turns(), a.Answers())
	}
	if _, err := p.Next(task.Problem{}, nil); err == nil {
		t.Error("it says who is asked")
	}
	if _, err := a.TeamAnswer(task.Problem{}, nil); err == nil {
		t.Error("it says what the team answers")
	}
	debate, err := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 2, Prompts: team.Maths})
	if err != nil || protocols.InProgram(debate) {
		t.Errorf("a debate is played by a program, %v", err)
	}
}
