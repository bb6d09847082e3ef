package team

import (
	"fmt"

	"parley/task"
)

// leader is the protocol of one agent who decides and others who propose.
type leader struct {
	roles Protocol // what each is asked by itself
	turns int
}

// NewLeader returns the protocol in which the first agent decides: the others propose at the same time, then the first agent reads what
// they wrote and answers; s.Turns counts both kinds of turns and is even. From the second round on, those who propose are shown what the
// first agent answered last.
func NewLeader(s Settings) (Protocol, error) {
	if s.Agents < 2 || s.Turns < 2 || s.Turns%2 != 0 {
		return nil, fmt.Errorf("a team with a leader needs at least two agents and an even number of turns, not %d and %d", s.Agents, s.Turns)
	}
	turns := s.Turns
	s.Turns = 1
	roles, err := NewParallel(s)
	if err != nil {
		return nil, err
	}
	return &leader{roles, turns}, nil
}

func (l *leader) Agents() int { return l.roles.Agents() }
func (l *leader) Turns() int  { return l.turns }

// Next implements [Protocol].
func (l *leader) Next(p task.Problem, h History) ([]Ask, error) {
	turn := h.turns()
	if turn >= l.turns {
		return nil, nil
	}
	asks, err := l.roles.Next(p, nil)
	if err != nil {
		return nil, err
	}
	decides := turn%2 == 1
	headline := "The team's leader answered:"
	if decides {
		headline = "Your team wrote:"
	}
	text := written(headline, h.in(turn-1))
	var out []Ask
	for _, ask := range asks {
		if (ask.Agent == 0) != decides {
			continue
		}
		ask.Turn, ask.Messages = turn, appended(ask.Messages, text)
		out = append(out, ask)
	}
	return out, nil
}
