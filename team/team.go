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
// Package protocols has those that recipes name by a word, such as debate, each written as a workflow; package workflow has those that a recipe
// writes itself, step by step. [Centrally] has one model do the work of all agents of any protocol.
//
// [Viewers] keep fields of a problem from agents who are not to see them, and prove of every prompt that they did.
//
// Agents and turns are numbered from 0 in code and from 1 in prompts and reports.
package team

import (
	"parley/model/chat"
	"parley/task"
	"parley/task/answer"
)

// A Role says who speaks a message, in the words of chat templates.
type Role = chat.Role

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool" // the result of a call of a function
)

// A Message is one entry of a dialogue with a model.
type Message = chat.Turn

// An Answer is what one agent said in one turn, or, of the agent [World], what agents observe once they have acted.
type Answer struct {
	Turn  int     // from 0
	Agent int     // from 0
	Text  string  // as the agent wrote it
	Final string  // the final answer of the text in canonical form; empty: none that can be read
	Score float64 // the verifier's raw score, shown in later prompts when scores are shown
	// Report is what the agent is told about its answer, where prompts of later turns show it (MAGRPO §9).
	Report string
	// Prompt is the user message that it answers ([Ask].Prompt). A protocol whose chats go on makes it again where it is empty.
	Prompt string
	// Observed is what the environment shows from here on; of [World] alone.
	Observed *Observation
}

// Shown is the text as the agents of a debate read it.
func (a Answer) Shown() answer.Visible { return answer.Show(a.Text, a.Final) }

// World is the agent of history entries that are the environment's. The one before the first turn has the turn −1.
const World = -1

// An Observation is a state of the environment as the team gets to know it.
type Observation struct {
	Texts []string // what each agent observes, in agent order
	Done  bool     // the episode is over
	State []byte   // of the environment, as JSON: nobody in the team sees it
	Sum   float64  // of the team's rewards so far
}

// A History holds the answers of the turns before, ordered by turn, then by agent.
type History []Answer

// An Ask is what one agent is asked: the whole dialogue as this agent has seen it, ending with a user message.
type Ask struct {
	Turn     int
	Agent    int
	Messages []Message
	Prompt   string // the user message of this turn by itself, where the chat may go on; empty: the protocol does not need it
	Samples  int    // completions in a tree; 0: as many as everywhere
}

// A Move is what follows a history: asks of one turn, or a word to the environment, or nothing, when the episode is over.
type Move struct {
	Asks []Ask
	// Acts says that the environment comes next: it begins, where the history is empty, or it gets what these agents said last.
	Acts   bool
	Actors []int
}

// A Mover is a [Protocol] that may call the environment between turns. Its Next is Move for histories after which nobody acts.
type Mover interface {
	Move(p task.Problem, h History) (Move, error)
}

// A Seeded protocol makes random choices. Each episode has its own.
type Seeded interface {
	// Seed returns the protocol of an episode whose choices come from the stream of a seed.
	Seed(s uint64) Protocol
}

// An Answering protocol says what of all that was said is the team's answer.
type Answering interface {
	// Answers says whether it does: whether the answer at the end is what is rewarded, and not each turn.
	Answers() bool
	// Over says that nobody is asked and nobody acts after a history. It makes no prompts.
	Over(p task.Problem, h History) (bool, error)
	// TeamAnswer returns the texts that are rewarded together, of a whole episode: one text is the answer of the team.
	TeamAnswer(p task.Problem, h History) ([]string, error)
}

// A Boxing protocol may have agents read answers as [Answer.Shown] has them, and not as they were written.
type Boxing interface{ Boxes() bool }

// Boxes says whether some prompt shows answers as [Answer.Shown] has them.
func Boxes(p Protocol) bool {
	b, ok := p.(Boxing)
	return ok && b.Boxes()
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

// Begin is what a chat about a problem begins with: the head that a team gives it, and what stands before the question in its data set. There is one
// system message at most: what the data say stands below what the team says.
func Begin(head []Message, p task.Problem) []Message {
	for _, m := range p.Before {
		switch {
		case m.Role == string(System) && len(head) > 0 && head[0].Role == System:
			head[0].Content += "\n\n" + m.Content
		case m.Role == string(System):
			head = append([]Message{{Role: System, Content: m.Content}}, head...)
		default:
			head = append(head, Message{Role: Role(m.Role), Content: m.Content})
		}
	}
	return head
}
