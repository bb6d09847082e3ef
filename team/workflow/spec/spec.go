// Package spec has workflows as data, as recipes write them, and what can be said of one without playing it.
//
//	spec.go    [Spec]: agents, steps, and what the team's answer is
//	unread.go  comparisons that hold where nobody has answered
//
// Package workflow makes a protocol of one.
package spec

import (
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"parley/team"
)

// A Spec is a workflow as data, as recipes write it.
type Spec struct {
	Agents []Agent
	// Numbered says that agents have no names of their own: they are agent1, agent2, …, and templates show their numbers.
	Numbered bool
	Steps    []Step
	Program  string // Starlark, in place of steps; empty: none
	Turns    int    // of a program: the most that it asks
	// Functions are what a program may call beside those of workflows, such as lessons of related systems.
	Functions []*starlark.Builtin
	Answer    Answer

	System   string   // template of the system message of every agent that has none of its own; empty: none
	Examples []string // a chat that stands before the first prompt of each chat: a user message, the answer to it, and so on
	// ShowScores lets templates and expressions see the verifier's scores of answers.
	ShowScores bool
	// Feedback puts a score into words, for templates; nil: none.
	Feedback func(score float64) string
	// Chat says what prompts hold of a chat that goes on.
	Chat team.Memory
	// OwnOnly hides from templates what other agents said.
	OwnOnly bool
	Hidden  team.Viewers // of fields; expressions see none of those
	// World says that the team acts in an environment: steps may act, and prompts show observations.
	World bool
}

// An Agent is one who can be asked.
type Agent struct {
	Name   string
	Role   string // for templates
	System string // template of its system message; empty: that of the team
}

// A Step does one of four things: it asks, it acts, it repeats steps, or it assigns agents to groups.
type Step struct {
	Place string // where it stands, for errors, such as team.workflow[2]

	Ask []string // names of agents and groups, asked at once; one text that begins with = is an expression that gives names
	// Prompts are templates: one for all that are asked, or one for each name of Ask.
	Prompts  []string
	Boxed    bool   // prompt and chat show what was said with the final answer in a box on the last line ([team.Answer.Shown]); else as it was written
	Continue bool   // the prompt goes on with the agent's chat so far; else a new chat begins
	When     string // an expression; empty: always
	Note     string // an expression, once they have answered: prompts see its text in .Notes, to the end of the loop; empty: none
	Samples  int    // completions of each agent in a tree; 0: as many as everywhere

	Act []string // agents whose last words the environment gets

	Repeat int    // most rounds of Steps
	Until  string // an expression, looked at after each round; empty: never
	Steps  []Step

	Groups []Group // assigned at random once an episode
}

// A Group is a name for some agents, drawn at random.
type Group struct {
	Name string
	Size int
}

// An Answer says what of all that was said is the team's answer.
type Answer struct {
	Kind  AnswerKind
	Names []string // whose
	Expr  string   // of [Computed]
}

// An AnswerKind is how an answer is made.
type AnswerKind int

const (
	Last      AnswerKind = iota // the last text of one agent; no name: of the last one who spoke
	Vote                        // a text with the final answer that most of the names gave last
	Joint                       // the last texts of all names, in their order
	Computed                    // the text that an expression gives
	EveryTurn                   // there is none: every turn is rewarded, for what all agents said last
	Tagged                      // as EveryTurn, for what one agent wrote for all agents, each text between tags: see [team.Split]
)

// Templates lists the templates of all prompts: of the system messages, and of every step.
func (s Spec) Templates() []string {
	out := []string{s.System}
	for _, a := range s.Agents {
		out = append(out, a.System)
	}
	everyStep(s.Steps, func(step Step) {
		out = append(out, step.Prompts...)
	})
	return out
}

// ReadsProblem says that an expression of a step names the problem, all of whose fields it may then read.
func (s Spec) ReadsProblem() bool {
	return slices.ContainsFunc(s.Expressions(), func(text string) bool { return strings.Contains(text, "problem") })
}

// Expressions lists those of all steps.
func (s Spec) Expressions() (out []string) {
	everyStep(s.Steps, func(step Step) { out = append(out, step.When, step.Until, step.Note) })
	return out
}

// everyStep visits steps, and those within them.
func everyStep(steps []Step, visit func(Step)) {
	for _, s := range steps {
		visit(s)
		everyStep(s.Steps, visit)
	}
}
