package chatsession

import (
	"context"
	"fmt"

	"parley/internal/seed"
	"parley/task"
	"parley/team"
)

// A Team answers questions the way it was trained to work: the protocol says who is asked what in which turn. Questions are
// problems of their own; a team remembers none of them.
type Team struct {
	Protocol team.Protocol
	Names    []string // of the agents; nil: they have none
	// Speaker is who speaks for an agent in a turn, both from 0.
	Speaker func(turn, agent int) Voice
	// Final reads the final answer of a text, which protocols may go by; nil: there is none to be read.
	Final    func(text string) (final string, ok bool)
	Settings Settings // Seed is the root: every answer has a stream of its own
	// Own returns the settings of an agent, from 0, that has others than the team; nil: no agent has.
	Own func(agent int, s Settings) Settings
	// Change makes the changes of settings that the caller wants for all agents; nil: none.
	Change   func(s Settings) Settings
	Together bool // the agents of a turn answer at once; a listener still gets their answers one after the other

	asked int // questions so far
}

// Ask lets the team work on a question, agent by agent, turn by turn. Within a turn no agent sees what another one says in it.
func (t *Team) Ask(ctx context.Context, question string, l Listener) error {
	problem := task.Problem{ID: fmt.Sprintf("question-%d", t.asked+1), Question: question}
	t.asked++
	protocol := t.Protocol
	if s, draws := protocol.(team.Seeded); draws {
		protocol = s.Seed(seed.Derive(t.Settings.Seed, "protocol", t.asked))
	}
	var history team.History
	for {
		asks, err := protocol.Next(problem, history)
		if err != nil {
			return err
		}
		if len(asks) == 0 {
			return conclude(protocol, problem, history, l)
		}
		replies, err := t.answers(ctx, problem, asks, l)
		if err != nil {
			return err
		}
		for i, ask := range asks {
			history = append(history, t.said(ask, replies[i].Text))
		}
	}
}

// said is an answer as the protocol gets it.
func (t *Team) said(ask team.Ask, text string) team.Answer {
	a := team.Answer{Turn: ask.Turn, Agent: ask.Agent, Text: text, Prompt: ask.Prompt}
	if t.Final != nil {
		if final, ok := t.Final(text); ok {
			a.Final = final
		}
	}
	return a
}

// conclude says what of all that was said the team answers, where its protocol knows it and somebody listens.
func conclude(p team.Protocol, problem task.Problem, h team.History, l Listener) error {
	answering, ok := p.(team.Answering)
	if !ok || !answering.Answers() || l.Answer == nil {
		return nil
	}
	texts, err := answering.TeamAnswer(problem, h)
	if err != nil {
		return err
	}
	return l.Answer(texts)
}

// Called is what an agent, from 0, is called: its name, or its number.
func (t *Team) Called(agent int) string {
	if agent < len(t.Names) {
		return t.Names[agent]
	}
	return fmt.Sprintf("agent %d", agent+1)
}

// SettingsOf are those of an agent, from 0.
func (t *Team) SettingsOf(agent int) Settings {
	s := t.Settings
	if t.Own != nil {
		s = t.Own(agent, s)
	}
	if t.Change != nil {
		s = t.Change(s)
	}
	return s
}

// A Listener is told how a team's work goes on. Turns and agents are numbered from 0.
type Listener struct {
	Begin func(turn, agent int) error
	Say   func(text string) error
	End   func(Reply) error
	// Answer is called at the end with the texts that the team answers, if its protocol says which they are; nil: it is
	// not called.
	Answer func(texts []string) error
}

// answers lets the agents of a turn answer, one by one or together.
func (t *Team) answers(ctx context.Context, problem task.Problem, asks []team.Ask, l Listener) ([]Reply, error) {
	say := t.say
	if t.Together {
		var wait func()
		ctx, say, wait = t.begun(ctx, problem, asks)
		defer wait()
	}
	replies := make([]Reply, len(asks))
	for i, ask := range asks {
		err := l.Begin(ask.Turn, ask.Agent)
		if err == nil {
			replies[i], err = say(ctx, problem, ask, l.Say)
		}
		if err == nil {
			err = l.End(replies[i])
		}
		if err != nil {
			return nil, fmt.Errorf("turn %d, %s: %w", ask.Turn+1, t.Called(ask.Agent), err)
		}
	}
	return replies, nil
}

// say lets one agent answer.
func (t *Team) say(ctx context.Context, problem task.Problem, ask team.Ask, say func(text string) error) (Reply, error) {
	s := t.SettingsOf(ask.Agent)
	s.Problem = problem
	s.Seed = seed.Derive(s.Seed, "talk", t.asked, ask.Turn, ask.Agent)
	return t.Speaker(ask.Turn, ask.Agent).Say(ctx, ask.Messages, s, say)
}
