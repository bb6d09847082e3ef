// Package picture draws who sees what in a workflow: a matrix with a row for everybody who is asked, in order, and a column for everything
// that a prompt may show. The marks are measured ([workflow.Workflow.Visibility]), not declared.
//
//	table.go   rows, columns and marks
//	story.go   the steps of a workflow as they happen, with the rounds of loops
//	short.go   long workflows without their middle
//	layout.go  where everything stands
//	draw.go    how it looks
//
// The key stands beside the matrix and expressions stand below it, so nothing hides anything. The same workflow always gives the same bytes.
package picture

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"parley/team/workflow"
)

// A table is what a picture shows.
type table struct {
	title   string
	columns []column
	rows    []row
	notes   []note // below: of conditions and loops
}

// A column is something that prompts may show.
type column struct {
	head  string
	agent int // who said it; nobody: of the problem, or of the environment
	row   int // what made it; nobody: it was there before
}

const nobody = -1 // no agent, and no row

// A row is somebody who is asked, or something else that happens.
type row struct {
	kind  kind
	turn  int // from 1; 0: it is no turn
	label string
	agent int
	laps  []lap          // rounds of the loops that it is in, the outer one first
	asked string         // when it is asked, where that is not always
	marks map[int][]mark // by column
}

// A kind of row.
type kind int

const (
	ask kind = iota
	act      // the environment gets what agents said last
	assign
	answer
	left // rows that are left out
)

// A lap is a round of a loop.
type lap struct {
	letter string
	round  int // from 1
}

// String names it: B2 is the second round of loop B.
func (l lap) String() string { return fmt.Sprint(l.letter, l.round) }

// A mark is what a prompt shows of a column.
type mark int

const (
	given  mark = iota // of the problem
	spoken             // what somebody said
	report             // what somebody was told about it
	noted              // what a step has noted of it
	own                // the agent's own observation
	others             // an observation of another agent
	taken              // for the environment, or as the team's answer
	some               // some of what is left out
)

// A note explains something, such as the letter of a loop.
type note struct{ what, text string }

// tableOf is that of a workflow.
func tableOf(name string, w *workflow.Workflow) (table, error) {
	sights, err := w.Visibility()
	if err != nil {
		return table{}, fmt.Errorf("who sees what: %w", err)
	}
	s := newStory(w.Spec(), sights)
	t := table{title: name + ": what each prompt shows at most"}
	t.columns = append(t.columns, s.problem()...)
	s.origin = len(t.columns)
	s.tell()
	t.columns = append(t.columns, s.columns...)
	t.rows, t.notes = s.rows, s.notes
	return t.short(), nil
}

// problem are the columns of what prompts show of the problem.
func (s *story) problem() []column {
	heads := map[workflow.Source]string{}
	for _, x := range s.sights {
		for _, source := range x.Sees {
			switch source.What {
			case workflow.Question:
				heads[source] = "question"
			case workflow.Field:
				heads[source] = "field " + clipped(source.Field)
			}
		}
	}
	var out []column
	for _, source := range slices.SortedFunc(maps.Keys(heads), func(a, b workflow.Source) int {
		return cmp.Or(-cmp.Compare(a.What, b.What), cmp.Compare(a.Field, b.Field)) // the question first
	}) {
		s.given[source] = len(out)
		out = append(out, column{heads[source], nobody, nobody})
	}
	return out
}

// clipped is a name that is not too long for a head. Its end stays: names of a crowd differ there.
func clipped(name string) string {
	const head, tail = 12, 7
	letters := []rune(name)
	if len(letters) <= head+1+tail {
		return name
	}
	return string(letters[:head]) + "…" + string(letters[len(letters)-tail:])
}
