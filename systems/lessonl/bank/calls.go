package bank

import (
	"fmt"

	"parley/internal/tie"
)

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

// A Class is how a program did; prompts have a text for each.
type Class string

// The classes.
const (
	MuchFaster     Class = "much_faster" // at least 1.1 times
	SlightlyFaster Class = "slightly_faster"
	Slower         Class = "slower"
	NotEquivalent  Class = "not_equivalent"
	NotCompilable  Class = "not_compilable"
)

// Fast is the speed-up from which a program, or s·f of a lesson, counts as an improvement.
const Fast = 1.1

// Classify returns the class of a program, and its credit: the speed-up of a right one, else 0.
func Classify(compiled, correct bool, speedup float64) (Class, float64) {
	switch {
	case !compiled:
		return NotCompilable, 0
	case !correct:
		return NotEquivalent, 0
	case reaches(speedup, Fast):
		return MuchFaster, speedup
	case reaches(speedup, 1):
		return SlightlyFaster, speedup
	}
	return Slower, speedup
}

// reaches says that x is at least a bound, rounding aside.
func reaches(x, bound float64) bool { return !tie.Above(bound, x, 0) }
