package team

import (
	"fmt"
	"strings"
)

// A Mode names what prompts of later turns tell an agent about its previous answer (MAGRPO §9).
type Mode string

const (
	Plain       Mode = "none"        // what the team's own prompts say
	Self        Mode = "self"        // a request to revise
	Diagnostics Mode = "diagnostics" // a report of the task: what was found, what failed
	Expert      Mode = "expert"      // what an external model suggests
	Binary      Mode = "binary"      // whether it was good enough
	Score       Mode = "score"       // what it earned
	FirstAgain  Mode = "first"       // the first prompt once more
)

// Reports says that the mode shows a text that somebody has to write after every turn. Modes without a name here are kinds of reports
// that a task has of its own.
func (m Mode) Reports() bool { return m != Plain && m != Self && m != FirstAgain }

// Later is the prompt of later turns in a mode; first is that of turn 1.
func (m Mode) Later(first string) string {
	const again = "Improve your previous answer. Give the whole answer, in the same form."
	switch {
	case m == FirstAgain:
		return first
	case m.Reports():
		return "{{.Report}}\n\n" + again
	}
	return again
}

// Memory says what of a dialogue prompts of later turns hold. The zero value holds everything.
type Memory struct {
	NoOriginal bool // leave out the first prompt
	NoPrevious bool // leave out the agent's own answers
	Turns      int  // most earlier turns that are shown; 0: all
}

// Recall leaves out of a dialogue what m does not hold. messages are first, then answer and later prompt turn by turn.
func (m Memory) Recall(messages []Message) []Message {
	if m == (Memory{}) {
		return messages
	}
	var out []Message
	first, turns := messages[:1], messages[1:]
	if keep := 2 * m.Turns; keep > 0 && len(turns) > keep {
		turns = turns[len(turns)-keep:]
	}
	if !m.NoOriginal || len(turns) == 0 {
		out = append(out, first...)
	}
	for _, t := range turns {
		switch last := len(out) - 1; {
		case t.Role == Assistant && m.NoPrevious:
		case t.Role == Assistant && (last < 0 || out[last].Role != User):
			out = append(out, Message{Role: User, Content: fmt.Sprintf("Your previous answer:\n\n%s", strings.TrimSpace(t.Content))})
		case t.Role == User && last >= 0 && out[last].Role == User:
			out[last].Content += "\n\n" + t.Content
		default:
			out = append(out, t)
		}
	}
	return out
}
