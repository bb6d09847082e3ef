package verifier

import (
	"maps"
	"slices"
	"strings"

	"parley/task"
)

// A Source says how a solution came about.
type Source string

const (
	Sampled         Source = "sampled"       // the base answered the question
	PromptedExample Source = "example"       // it was shown a correct example, because right solutions were missing
	PromptedError   Source = "trivial_error" // it was asked for a trivial error, because wrong solutions were missing
)

// A Solution is one labelled answer: the tuple (q, s, y) of MAPoRL §3.
type Solution struct {
	Problem task.Problem `json:"problem"`
	Text    string       `json:"text"`
	Shown   string       `json:"shown"` // the form that the verifier reads
	Right   bool         `json:"right"` // whether the final answer is; the label of every prefix
	Source  Source       `json:"source"`
}

// A Key identifies a question whatever its problem is called, so that two data sets cannot share one unnoticed.
type Key string

// KeyOf hashes a problem's question, and its further texts where those are the question.
func KeyOf(p task.Problem) Key {
	return Key(task.Key(QuestionOf(p)))
}

// A Group is the solutions of one question.
type Group struct {
	Problem   task.Problem
	Solutions []Solution
}

// GroupByQuestion gathers solutions by question, both in the order in which they come.
func GroupByQuestion(solutions []Solution) []Group {
	var groups []Group
	at := map[Key]int{}
	for _, s := range solutions {
		key := KeyOf(s.Problem)
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups = append(groups, Group{Problem: s.Problem})
		}
		groups[i].Solutions = append(groups[i].Solutions, s)
	}
	return groups
}

// Count returns how many solutions are right, and how many are wrong.
func Count(solutions []Solution) (right, wrong int) {
	for _, s := range solutions {
		if s.Right {
			right++
		} else {
			wrong++
		}
	}
	return right, wrong
}

// QuestionOf is the text of a question, or of the named texts where those are the question.
func QuestionOf(p task.Problem) string {
	if text := strings.TrimSpace(p.Question); text != "" {
		return text
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(p.Fields)) {
		lines = append(lines, name+": "+p.Fields[name])
	}
	return strings.Join(lines, "\n")
}
