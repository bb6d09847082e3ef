// Package relay is a protocol of its own: in every turn one agent speaks, in turns, and reads what was said last.
package relay

import (
	"fmt"

	"parley/task"
	"parley/team"
	"parley/team/protocols"
)

// Kind is the protocol for the register.
func Kind() team.Kind {
	return team.Kind{Name: "relay", About: "One agent a turn, each reading the answer before.", Partial: true, Open: open}
}

type relay struct {
	team.Protocol // what each agent is asked by itself
	turns         int
}

func open(s team.Settings) (team.Protocol, error) {
	turns := s.Turns
	s.Turns = 1
	roles, err := protocols.Parallel().Open(s)
	return relay{roles, turns}, err
}

func (r relay) Turns() int { return r.turns }

// Next implements [team.Protocol].
func (r relay) Next(p task.Problem, h team.History) ([]team.Ask, error) {
	turn := len(h) // one answer a turn
	if turn >= r.turns {
		return nil, nil
	}
	asks, err := r.Protocol.Next(p, nil)
	if err != nil {
		return nil, err
	}
	ask := asks[turn%len(asks)]
	ask.Turn = turn
	if turn > 0 {
		ask.Messages[len(ask.Messages)-1].Content += fmt.Sprintf("\n\nThe answer before:\n%s", h[turn-1].Text)
	}
	return []team.Ask{ask}, nil
}
