package team

import (
	"slices"
	"strings"

	"parley/task"
)

// Restart is the protocol of the same team where an agent may drop what it said before: an answer that holds the word drops its agent's earlier
// ones, which prompts then show as empty texts (Dr. MAMR, arXiv 2511.02303). Who speaks next, and what the team answers, is decided on everything
// that was said. Where the team would go on in another way without the dropped texts, the prompts keep them.
func Restart(p Protocol, word string) Protocol { return restart{within: within{p}, word: word} }

// Unrestarted is a protocol in which the restart of one agent in one turn has dropped nothing; ok is false where the protocol knows no restarts.
func Unrestarted(p Protocol, turn, agent int) (kept Protocol, ok bool) {
	w, ok := p.(restart)
	w.kept = append(slices.Clip(w.kept), [2]int{turn, agent})
	return w, ok
}

type restart struct {
	within
	word string
	kept [][2]int // turn and agent of restarts that drop nothing
}

var (
	_ Mover     = restart{}
	_ Answering = restart{}
	_ Seeded    = restart{}
)

// Move implements [Mover].
func (w restart) Move(p task.Problem, h History) (Move, error) {
	m, err := w.inner(p, h)
	left, dropped := w.left(h)
	if err != nil || !dropped {
		return m, err
	}
	again, err := w.inner(p, left)
	if err != nil || again.Acts != m.Acts || !sameAsked(m.Asks, again.Asks) {
		return m, nil
	}
	return again, nil
}

// left is a history without the texts that were dropped. Prompts of what was said are made again: they may show such texts.
func (w restart) left(h History) (left History, dropped bool) {
	from := map[int]int{} // by agent: its last restart
	for i, a := range h {
		if a.Agent != World && strings.Contains(a.Text, w.word) && !slices.Contains(w.kept, [2]int{a.Turn, a.Agent}) {
			from[a.Agent] = i
		}
	}
	left = slices.Clone(h)
	for i := range left {
		if at, restarted := from[left[i].Agent]; restarted && i < at {
			left[i], dropped = left[i].Emptied(), true
		}
		left[i].Prompt = ""
	}
	return left, dropped
}

// Emptied is the answer when nothing was said.
func (a Answer) Emptied() Answer { return Answer{Turn: a.Turn, Agent: a.Agent, Observed: a.Observed} }

// sameAsked says that two lists ask the same agents in the same turn.
func sameAsked(a, b []Ask) bool {
	return slices.EqualFunc(a, b, func(x, y Ask) bool { return x.Turn == y.Turn && x.Agent == y.Agent })
}

// MoveOf is the move of any protocol: one that is no [Mover] only asks.
func MoveOf(p Protocol, about task.Problem, h History) (Move, error) {
	if m, moves := p.(Mover); moves {
		return m.Move(about, h)
	}
	asks, err := p.Next(about, h)
	return Move{Asks: asks}, err
}

// Next implements [Protocol].
func (w restart) Next(p task.Problem, h History) ([]Ask, error) {
	m, err := w.Move(p, h)
	return m.Asks, err
}

// Seed implements [Seeded].
func (w restart) Seed(s uint64) Protocol {
	w.Protocol = seeded(w.Protocol, s)
	return w
}

// Over implements [Answering].
func (w restart) Over(p task.Problem, h History) (bool, error) {
	return w.Protocol.(Answering).Over(p, h)
}

// TeamAnswer implements [Answering].
func (w restart) TeamAnswer(p task.Problem, h History) ([]string, error) {
	return w.Protocol.(Answering).TeamAnswer(p, h)
}
