package protocols

// This file plays a workflow whose first step is answered already: a problem brings the answers along (MLPO, arXiv 2507.08960: a leader is trained
// on proposals of peers that were drawn once).
//
//	p := Given(workflow, []int{0, 1, 2})        // the agents of the first step
//	p.Next(WithAnswers(problem, answers), nil)  // what comes next, and nothing after it
//
// A problem that brings nothing along is worked on from the first step to the last.

import (
	"fmt"
	"maps"

	"parley/task"
	"parley/team"
)

// Stepwise is what is played: a protocol of package workflow.
type Stepwise interface {
	team.Protocol
	team.Seeded
	team.Answering
}

// A GivenProtocol is a [team.Protocol] on problems with given answers.
type GivenProtocol struct {
	Stepwise
	agents []int
}

// Given returns w for problems that bring the answers of these agents along, in agent order.
func Given(w Stepwise, agents []int) *GivenProtocol { return &GivenProtocol{w, agents} }

// Fields of a problem, which no template knows, hold what is given.
func text(agent int) string  { return fmt.Sprintf("given %d", agent+1) }
func final(agent int) string { return fmt.Sprintf("given %d final", agent+1) }

// WithAnswers returns the problem with given answers.
func WithAnswers(p task.Problem, answers []team.Answer) task.Problem {
	if p.Fields = maps.Clone(p.Fields); p.Fields == nil {
		p.Fields = map[string]string{}
	}
	for _, a := range answers {
		p.Fields[text(a.Agent)], p.Fields[final(a.Agent)] = a.Text, a.Final
	}
	return p
}

// history is h behind the answers that p brings along; ok is false where it brings none.
func (g *GivenProtocol) history(p task.Problem, h team.History) (out team.History, ok bool) {
	for _, agent := range g.agents {
		said, ok := p.Fields[text(agent)]
		if !ok {
			return nil, false
		}
		out = append(out, team.Answer{Agent: agent, Text: said, Final: p.Fields[final(agent)]})
	}
	for _, a := range h {
		a.Turn++
		out = append(out, a)
	}
	return out, true
}

// Next implements [team.Protocol].
func (g *GivenProtocol) Next(p task.Problem, h team.History) ([]team.Ask, error) {
	whole, ok := g.history(p, h)
	if !ok {
		return g.Stepwise.Next(p, h)
	}
	if len(h) > 0 {
		return nil, nil
	}
	asks, err := g.Stepwise.Next(p, whole)
	for i := range asks {
		asks[i].Turn--
	}
	return asks, err
}

// Over implements [team.Answering]: with given answers an episode is over once somebody has answered.
func (g *GivenProtocol) Over(p task.Problem, h team.History) (bool, error) {
	if _, ok := g.history(p, h); ok {
		return len(h) > 0, nil
	}
	return g.Stepwise.Over(p, h)
}

// TeamAnswer implements [team.Answering].
func (g *GivenProtocol) TeamAnswer(p task.Problem, h team.History) ([]string, error) {
	if whole, ok := g.history(p, h); ok {
		h = whole
	}
	return g.Stepwise.TeamAnswer(p, h)
}

// Seed implements [team.Seeded].
func (g *GivenProtocol) Seed(s uint64) team.Protocol {
	w, ok := g.Stepwise.Seed(s).(Stepwise)
	if !ok {
		return g
	}
	return Given(w, g.agents)
}

// OpeningAsk is the first turn of a protocol alone; it has no answer of the team.
func OpeningAsk(p team.Protocol) team.Protocol { return opening{p} }

type opening struct{ p team.Protocol }

func (o opening) Agents() int { return o.p.Agents() }
func (o opening) Turns() int  { return 1 }

func (o opening) Next(p task.Problem, h team.History) ([]team.Ask, error) {
	if len(h) > 0 {
		return nil, nil
	}
	return o.p.Next(p, nil)
}
