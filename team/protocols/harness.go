package protocols

import (
	"errors"

	"parley/task"
	"parley/team"
)

// Harness is the protocol of teams that work in a program of the user's: it asks the agents, in whatever order. A rollout plays the program; the
// protocol says how large the team is.
func Harness() team.Kind {
	return team.Kind{
		Name: "harness", About: "A program of yours asks the agents, by OpenAI's protocol, and says what came of it: team.harness.", Partial: true, Harness: true,
		Begins: []string{"group.rollout=episodes", "credit.returns=episode"},
		Open:   func(s team.Settings) (team.Protocol, error) { return harness{s}, nil },
	}
}

// harness is the [team.Protocol] of a team in a program: nobody here knows who is asked next.
type harness struct{ team.Settings }

var _ team.Answering = harness{}

// errHarness is what comes of asking it.
var errHarness = errors.New("the team works in a program (team.harness), which alone knows who is asked what")

// InProgram says that the team of a protocol works in a program.
func InProgram(p team.Protocol) bool {
	_, in := p.(harness)
	return in
}

// Agents implements [team.Protocol].
func (h harness) Agents() int { return h.Settings.Agents }

// Turns implements [team.Protocol]: each call of the program is a turn.
func (h harness) Turns() int { return h.Settings.Turns }

// Next implements [team.Protocol].
func (harness) Next(task.Problem, team.History) ([]team.Ask, error) { return nil, errHarness }

// Answers implements [team.Answering].
func (harness) Answers() bool { return true }

// Over implements [team.Answering].
func (harness) Over(task.Problem, team.History) (bool, error) { return false, errHarness }

// TeamAnswer implements [team.Answering].
func (harness) TeamAnswer(task.Problem, team.History) ([]string, error) { return nil, errHarness }
