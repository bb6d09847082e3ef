package bank

import "fmt"

// Source is the text that all programs are written from: in every round the original one.
const Source = "source"

// LessonName is the z-th lesson of the bank.
func LessonName(z int) string { return fmt.Sprint("lesson", z) }

// Code is what an agent wrote in a round.
func Code(agent, round int) string { return fmt.Sprintf("code%d@%d", agent, round) }

// Outcome is what became of it.
func Outcome(agent, round int) string { return fmt.Sprintf("outcome%d@%d", agent, round) }

// A Call is one question to one agent.
type Call struct {
	Round, Agent int
	Lesson       int      // the lesson that it writes; −1: it writes a program
	Sees         []string // names, in the order of the prompt
}

// Calls returns the calls of a round in which these lessons are shown: each agent writes its program, then the lesson on it. A lesson is written by
// the author of the program alone.
func Calls(round, agents int, shown []int) []Call {
	var out []Call
	for i := range agents {
		write := Call{Round: round, Agent: i, Lesson: -1, Sees: []string{Source}}
		for _, z := range shown {
			write.Sees = append(write.Sees, LessonName(z))
		}
		learn := Call{Round: round, Agent: i, Lesson: round*agents + i, Sees: []string{Source, Code(i, round), Outcome(i, round)}}
		out = append(out, write, learn)
	}
	return out
}
