// Package team says who speaks when and who may see what.
//
// A [Protocol] is a pure function: given a problem and everything that has been said about it, Next returns what each
// speaking agent is asked now. There is no state and no model in it. That is why one protocol serves a single dialogue, a
// tree of dialogues and the replay of a recorded one: whoever drives it just hands in another history.
//
//	asks, err := protocol.Next(problem, nil)        // turn 1
//	… each agent answers its ask …
//	asks, err = protocol.Next(problem, history)     // turn 2; no asks: the episode is over
//
// Who speaks is the protocol's word: a turn may ask all agents or some.
//
// [NewDebate] (MAPoRL §3.1: all answer, see each other's answers, answer again), [NewParallel] (MAGRPO: all answer on their own, each in its
// role, and see only their own history) and [NewSingle] (one agent) are built on the same turn-by-turn dialogue. [NewCentral] has one model do
// the work of all agents. In [NewPipeline] the agents speak one after the other, in [NewLeader] one decides on what the others propose.
//
// Agents and turns are numbered from 0 in code and from 1 in prompts and reports.
package team

import "parley/task"

// A Role says who speaks a message, in the words of chat templates.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Message is one entry of a dialogue with a model.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// An Answer is what one agent said in one turn.
type Answer struct {
	Turn  int // from 0
	Agent int // from 0
	Text  string
	Score float64 // the verifier's raw score, shown in later prompts when scores are shown
	// Report is what the agent is told about its answer, where prompts of later turns show it (MAGRPO §9).
	Report string
}

// A History holds the answers of the turns before, ordered by turn, then by agent.
type History []Answer

// turns returns how many turns have been played.
func (h History) turns() int {
	if len(h) == 0 {
		return 0
	}
	return h[len(h)-1].Turn + 1
}

// of returns the answer of agent in turn.
func (h History) of(turn, agent int) (Answer, bool) {
	for _, a := range h {
		if a.Turn == turn && a.Agent == agent {
			return a, true
		}
	}
	return Answer{}, false
}

// in returns the answers of a turn; none before the first.
func (h History) in(turn int) []Answer {
	var out []Answer
	for _, a := range h {
		if a.Turn == turn {
			out = append(out, a)
		}
	}
	return out
}

// An Ask is what one agent is asked: the whole dialogue as this agent has seen it, ending with a user message.
type Ask struct {
	Turn     int
	Agent    int
	Messages []Message
}

// A Protocol decides who is asked what.
type Protocol interface {
	// Next returns the asks that follow h: those of one turn, in agent order, at most one an agent and maybe not of all; none when
	// the episode is over. It depends on its arguments alone. The problem's truth never reaches a message.
	Next(p task.Problem, h History) ([]Ask, error)
	// Agents returns how many agents take part.
	Agents() int
	// Turns returns the most turns that an episode has.
	Turns() int
}
