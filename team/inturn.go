package team

import (
	"slices"

	"parley/task"
)

// InTurn is a protocol whose agents speak one after the other also where they are asked at once: in their order, each with the prompt that it would
// have had. So one agent's message may have alternatives of which one is chosen before the next agent speaks. Nobody sees what the others say in
// that turn. Where the agents act in an environment afterwards, each acts as soon as it has spoken, and the next one observes what came of it.
//
//	asks a and b, then both act      a speaks, acts, is observed; b speaks, acts
//
// To the protocol it looks as if they had spoken and acted at once.
func InTurn(p Protocol) Protocol { return inTurn{within{p}} }

type inTurn struct{ within }

var (
	_ Mover     = inTurn{}
	_ Answering = inTurn{}
	_ Seeded    = inTurn{}
)

// A turn is what was said in the one that was played last.
type turn struct {
	before  History // as the protocol knows it
	answers History
	world   History // what the environment showed behind the last answer; empty: nothing yet
	within  *Answer // what it showed last between two answers; nil: nothing
	acted   []int   // agents who have acted before the last answer
}

// lastTurn splits a history at its last turn. The protocol is not told what the environment showed within earlier turns.
func lastTurn(h History) (t turn) {
	for i := range h {
		a := h[i]
		switch {
		case a.Agent == World && len(t.answers) == 0:
			t.before = append(t.before, a)
		case a.Agent == World:
			t.world = append(t.world, a)
		case len(t.answers) > 0 && t.answers[0].Turn == a.Turn:
			if n := len(t.world); n > 0 {
				t.within, t.world, t.acted = &h[i-1], nil, append(t.acted, t.answers[len(t.answers)-1].Agent)
			}
			t.answers = append(t.answers, a)
		default:
			t = turn{before: slices.Concat(t.before, t.answers, t.world), answers: History{a}}
		}
	}
	return t
}

// whole is the turn as one in which all spoke at once.
func (t turn) whole() History { return slices.Concat(t.before, t.answers, t.world) }

// Move implements [Mover].
func (w inTurn) Move(p task.Problem, h History) (Move, error) {
	t := lastTurn(h)
	if len(t.answers) == 0 {
		return first(w.inner(p, h))
	}
	m, err := w.inner(p, t.before)
	if err != nil || len(t.answers) >= len(m.Asks) {
		return w.after(p, t)
	}
	next := len(t.answers)
	if len(t.world) > 0 {
		return w.observing(p, t, next)
	}
	if w.acts(p, t, m.Asks[next:]) {
		return Move{Acts: true, Actors: []int{t.answers[next-1].Agent}}, nil
	}
	if t.within != nil {
		t.world = History{*t.within}
		return w.observing(p, t, next)
	}
	return Move{Asks: m.Asks[next : next+1]}, nil
}

// after is what follows a turn in which all have spoken. An agent that has acted already does not act again.
func (w inTurn) after(p task.Problem, t turn) (Move, error) {
	m, err := first(w.inner(p, t.whole()))
	m.Actors = slices.DeleteFunc(slices.Clone(m.Actors), func(agent int) bool { return m.Acts && slices.Contains(t.acted, agent) })
	return m, err
}

// observing asks the next agent with what the environment has shown since the one before spoke.
func (w inTurn) observing(p task.Problem, t turn, next int) (Move, error) {
	shown := t.world[len(t.world)-1]
	if shown.Observed.Done {
		return Move{}, nil
	}
	before := slices.Clone(t.before)
	for i := len(before) - 1; i >= 0; i-- {
		if before[i].Agent == World {
			before[i].Observed = shown.Observed
			break
		}
	}
	m, err := w.inner(p, before)
	if err != nil || next >= len(m.Asks) {
		return Move{}, err
	}
	return Move{Asks: m.Asks[next : next+1]}, nil
}

// acts says that the agents of the turn act once all have spoken: what the others will say is not known yet, so that their texts are empty.
func (w inTurn) acts(p task.Problem, t turn, others []Ask) bool {
	h := t.whole()
	for _, a := range others {
		h = append(h, Answer{Turn: a.Turn, Agent: a.Agent, Prompt: a.Prompt})
	}
	m, err := w.inner(p, h)
	return err == nil && m.Acts && slices.Contains(m.Actors, t.answers[len(t.answers)-1].Agent)
}

// first is a move that asks its first agent alone.
func first(m Move, err error) (Move, error) {
	m.Asks = m.Asks[:min(len(m.Asks), 1)]
	return m, err
}

// Next implements [Protocol].
func (w inTurn) Next(p task.Problem, h History) ([]Ask, error) {
	m, err := w.Move(p, h)
	return m.Asks, err
}

// Seed implements [Seeded].
func (w inTurn) Seed(s uint64) Protocol {
	w.Protocol = seeded(w.Protocol, s)
	return w
}

// Over implements [Answering]. Who speaks next follows from whole moves, prompts included.
func (w inTurn) Over(p task.Problem, h History) (bool, error) {
	m, err := w.Move(p, h)
	return !m.Acts && len(m.Asks) == 0, err
}

// TeamAnswer implements [Answering].
func (w inTurn) TeamAnswer(p task.Problem, h History) ([]string, error) {
	return w.Protocol.(Answering).TeamAnswer(p, lastTurn(h).whole())
}
