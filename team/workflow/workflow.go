// Package workflow is the protocol of teams of any shape: a list of steps says who is asked what, when, and how often.
//
//	workflow:
//	  - {ask: writer, prompt: "{{.Question}}"}
//	  - repeat: 3
//	    until: said("critic").text.startswith("fine")
//	    steps:
//	      - {ask: critic, prompt: "Draft: {{.Last.writer}}"}
//	      - {ask: writer, prompt: "Critique: {{.Last.critic}}", chat: continue}
//	  - {ask: editor, prompt: "Draft: {{.Last.writer}}"}
//	answer: editor
//
// A [Spec] is such a list as data. [New] checks it, all of it at once, and makes a [team.Protocol] of it: a pure function of the problem and of
// what has been said. It keeps nothing between calls. It walks the steps from the first one, taking what has been said out of the history,
// until it comes to a step whose answers are not there. So a workflow branches into trees, is replayed from a recording and resumed as any
// other protocol is.
//
// Three things decide what an agent is asked: templates (template.go), expressions in Starlark (expression.go), and, in place of steps, a
// program in Starlark (program.go). What an agent sees is what its prompts show, and nothing else: [Workflow.Visibility] measures it, by a walk
// in which every text is a marker (visibility.go).
//
// A turn is a step that asks, counted as it happens. Loops are bounded, so the most turns are known before anything runs.
//
// The teams that recipes name by a word are workflows too: package team/protocols writes each of them as steps.
package workflow

import (
	"slices"
	"strings"

	"parley/task"
	"parley/team"
	"parley/team/workflow/spec"
)

// A Workflow is a [team.Protocol]. It implements [team.Mover], [team.Seeded] and [team.Answering] too.
type Workflow struct {
	spec     Spec
	index    map[string]int // agents by name
	systems  []*prompt      // of each agent
	examples []team.Message
	body     []*step
	program  *program
	answer   *expression // of a computed answer
	turns    int
	seed     uint64 // of the episode
}

// A step is a [Step], checked.
type step struct {
	place   string
	ask     []string
	names   *expression // who is asked, where that is computed
	prompts []*prompt
	boxed   bool
	goesOn  bool
	when    *expression
	note    *expression
	samples int
	acts    []int
	rounds  int
	until   *expression
	steps   []*step
	groups  []Group
}

// with is the step with one of its prompts alone.
func (s *step) with(prompt int) *step {
	if len(s.prompts) < 2 {
		return s
	}
	one := *s
	one.prompts = s.prompts[prompt : prompt+1]
	return &one
}

// Agents implements [team.Protocol].
func (w *Workflow) Agents() int { return len(w.spec.Agents) }

// Turns implements [team.Protocol].
func (w *Workflow) Turns() int { return w.turns }

// Seed implements [team.Seeded].
func (w *Workflow) Seed(s uint64) team.Protocol {
	out := *w
	out.seed = s
	return &out
}

// Boxes says whether some step shows what was said with the final answer in a box ([Step.Boxed]).
func (w *Workflow) Boxes() bool { return anyBoxed(w.spec.Steps) }

func anyBoxed(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.Boxed || anyBoxed(s.Steps) })
}

// Spec is what the workflow was made of.
func (w *Workflow) Spec() Spec { return w.spec }

func (w *Workflow) agentNames() []string {
	out := make([]string, len(w.spec.Agents))
	for i, a := range w.spec.Agents {
		out[i] = a.Name
	}
	return out
}

// Answers implements [team.Answering].
func (w *Workflow) Answers() bool {
	return w.spec.Answer.Kind != EveryTurn && w.spec.Answer.Kind != Tagged
}

// Over implements [team.Answering].
func (w *Workflow) Over(p task.Problem, h team.History) (bool, error) {
	k := w.begin(p, h)
	k.unasked = true
	err := k.play()
	return !k.next.Acts && len(k.next.Asks) == 0, err
}

// TeamAnswer implements [team.Answering].
func (w *Workflow) TeamAnswer(p task.Problem, h team.History) ([]string, error) {
	k := w.begin(p, h)
	if err := k.play(); err != nil {
		return nil, err
	}
	return k.teamAnswer()
}

func join(list []string) string { return strings.Join(list, ", ") }

// Workflows as data: package spec says what each of them holds.
type (
	Spec       = spec.Spec
	Agent      = spec.Agent
	Step       = spec.Step
	Group      = spec.Group
	Answer     = spec.Answer
	AnswerKind = spec.AnswerKind
)

// How an answer is made: see [spec.AnswerKind].
const (
	Last      = spec.Last
	Vote      = spec.Vote
	Joint     = spec.Joint
	Computed  = spec.Computed
	EveryTurn = spec.EveryTurn
	Tagged    = spec.Tagged
)

// Faults is everything that is wrong with a workflow, one [Fault] after the other.
type (
	Fault  = spec.Fault
	Faults = spec.Faults
)
