package task

import (
	"fmt"
	"slices"
)

// Traits say what a task is, as data: what rules about recipes, default prompts, baselines and documentation need to know of it. They
// are the same for all settings of the task.
type Traits struct {
	Name  string // as recipes write it
	About string // one sentence, for the list of tasks

	// How responses are scored. A task has right answers, a joint reward, or both.
	Answers   bool  // problems have a right answer that each response is compared with: the task is an [Answerer]
	Joint     bool  // responses are rewarded together: the task is a [JointScorer]
	Responses Count // how many responses are scored at once
	Solvable  bool  // a single response solves a problem or does not: its answer is right, or its program passes all tests
	Choice    bool  // an answer is one of a few words, so that it may be right without any reasoning
	Acts      bool  // agents act in its environment, which pays: the task has a World
	Sandboxed bool  // responses are programs, which run in the sandbox

	// What prompts may say.
	Fields   []Field  // that every problem has
	AnyField bool     // problems have further fields, whose names only the data knows
	Reports  []Report // that it can write about responses, each a value of team.feedback
	Prompts  Prompts  // what agents are asked by default; empty texts: the general form of a question with one answer
	Solo     string   // what a single agent is asked that does the whole team's work; empty: what the first agent is asked

	// Where problems come from.
	DataSet string // on the Hub, where the settings name no other; empty: problems are made, come with the program, or must be named
	Prepare string // the command that makes the data set from what can be downloaded; empty: it is used as it is
}

// A Count is a least and a greatest number.
type Count struct{ Least, Most int }

// MostAgents bounds the agents of tasks for teams of any size.
const MostAgents = 64

// Check returns an error for a number of responses outside the bounds.
func (c Count) Check(responses int) error {
	switch {
	case responses >= c.Least && responses <= c.Most:
		return nil
	case c.Least == c.Most:
		return fmt.Errorf("%d responses: write %d", responses, c.Least)
	}
	return fmt.Errorf("%d responses: write %d to %d", responses, c.Least, c.Most)
}

// A Field is a named text of a task's problems, for prompts.
type Field struct {
	Name     string
	About    string
	PerAgent bool // there is one for each agent: NAME_1, NAME_2, …
}

// A Report is a kind of text that a task can write about responses (MAGRPO §9).
type Report struct {
	Name   string
	About  string
	Sliced bool // it quotes findings, of which team.sandbox_slice chooses some
}

// Prompts are the user messages of a first and of later turns, as templates of package team.
type Prompts struct{ First, Later string }

// Pair says that the joint reward is defined for what two agents wrote.
func (t Traits) Pair() bool { return t.Joint && t.Responses.Most == 2 }

// Writes says that a task can write a report of that name.
func (t Traits) Writes(report string) bool {
	return slices.ContainsFunc(t.Reports, func(r Report) bool { return r.Name == report })
}

// FieldNames lists the fields of prompts for a team of so many agents.
func (t Traits) FieldNames(agents int) []string {
	var names []string
	for _, f := range t.Fields {
		if !f.PerAgent {
			names = append(names, f.Name)
			continue
		}
		for agent := range agents {
			names = append(names, fmt.Sprintf("%s_%d", f.Name, agent+1))
		}
	}
	return names
}
