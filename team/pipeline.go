package team

import (
	"fmt"
	"strings"

	"parley/task"
)

// pipeline is the protocol of agents who speak one after the other.
type pipeline struct {
	roles Protocol // what each is asked by itself
}

// NewPipeline returns the protocol in which the agents answer one after the other, one a turn, in agent order. Each is asked what it would be
// asked by itself, and is shown what those before it wrote. There are as many turns as agents.
func NewPipeline(s Settings) (Protocol, error) {
	s.Turns = 1
	roles, err := NewParallel(s)
	if err != nil {
		return nil, err
	}
	return &pipeline{roles}, nil
}

func (l *pipeline) Agents() int { return l.roles.Agents() }
func (l *pipeline) Turns() int  { return l.roles.Agents() }

// Next implements [Protocol].
func (l *pipeline) Next(p task.Problem, h History) ([]Ask, error) {
	turn := h.turns()
	if turn >= l.Turns() {
		return nil, nil
	}
	asks, err := l.roles.Next(p, nil)
	if err != nil {
		return nil, err
	}
	ask := asks[turn]
	ask.Turn = turn
	ask.Messages = appended(ask.Messages, written("Those before you wrote:", h))
	return []Ask{ask}, nil
}

// written lists answers under a headline, each with its author; empty: there are none.
func written(headline string, answers []Answer) string {
	if len(answers) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\n" + headline)
	for _, a := range answers {
		fmt.Fprintf(&b, "\n\nAgent %d:\n%s", a.Agent+1, strings.TrimSpace(a.Text))
	}
	return b.String()
}

// appended is messages with text at the end of the last one. messages themselves do not change.
func appended(messages []Message, text string) []Message {
	if text == "" {
		return messages
	}
	last := messages[len(messages)-1]
	last.Content += text
	return append(messages[:len(messages)-1:len(messages)-1], last)
}
