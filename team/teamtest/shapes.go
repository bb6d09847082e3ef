package teamtest

import (
	"fmt"
	"strings"

	"parley/team/workflow"
)

// Shapes are teams of well-known forms as workflows. A recipe of such a team is measured by its shape: what its prompts show is to be what the shape
// shows ([workflow.Workflow.Visibility]), however they word it.

// Names of agents and fields in shapes.
const (
	Leader = "leader"
	Agent  = "agent"
	User   = "user"
	Critic = "critic"
	Hidden = "hidden" // the field that the agent never sees
)

// Peer is the name of the i-th peer of a star, from 0.
func Peer(i int) string { return fmt.Sprint("peer", i+1) }

// Proposal is the field of a problem with the i-th peer's cached proposal, from 0.
func Proposal(i int) string { return fmt.Sprint("cached", i+1) }

const question = "{{.Question}}"

// last shows what agents said last.
func last(agents ...string) string {
	var b strings.Builder
	for _, a := range agents {
		fmt.Fprintf(&b, "\n\n%s:\n{{.Last.%s}}", a, a)
	}
	return b.String()
}

// of makes a workflow of steps; answer is whose last text is the team's answer.
func of(agents []string, answer string, steps ...workflow.Step) workflow.Spec {
	spec := workflow.Spec{Steps: steps, Answer: workflow.Answer{Kind: workflow.Last, Names: []string{answer}}}
	for _, a := range agents {
		spec.Agents = append(spec.Agents, workflow.Agent{Name: a})
	}
	place(spec.Steps, "team.workflow")
	return spec
}

// place gives steps their places.
func place(steps []workflow.Step, within string) {
	for i := range steps {
		steps[i].Place = fmt.Sprintf("%s[%d]", within, i)
		place(steps[i].Steps, steps[i].Place+".steps")
	}
}

// Chain has roles speak in their order, in several passes that know nothing of each other. A role that is to be skipped is left out of roles:
// nobody sees it. The last role answers.
func Chain(roles []string, passes int) workflow.Spec {
	var steps []workflow.Step
	for i, role := range roles {
		steps = append(steps, workflow.Step{Ask: []string{role}, Prompts: []string{question + last(roles[:i]...)}})
	}
	return of(roles, roles[len(roles)-1], workflow.Step{Repeat: passes, Steps: steps})
}

// Star has peers answer at once and a leader after them. From the second round on a peer sees its own last answer and the leader's.
func Star(peers, rounds int) workflow.Spec {
	var names, again []string
	for i := range peers {
		names = append(names, Peer(i))
		again = append(again, question+last(Peer(i), Leader))
	}
	lead := workflow.Step{Ask: []string{Leader}, Prompts: []string{question + last(names...)}}
	steps := []workflow.Step{{Ask: names, Prompts: []string{question}}, lead}
	if rounds > 1 {
		steps = append(steps, workflow.Step{Repeat: rounds - 1, Steps: []workflow.Step{{Ask: names, Prompts: again}, lead}})
	}
	return of(append(names, Leader), Leader, steps...)
}

// Cached has the leader of a star answer on proposals that were drawn once, or alone, where there are no peers.
func Cached(peers int) workflow.Spec {
	prompt := question
	for i := range peers {
		prompt += fmt.Sprintf("\n\n%s:\n{{.Fields.%s}}", Peer(i), Proposal(i))
	}
	return of([]string{Leader}, Leader, workflow.Step{Ask: []string{Leader}, Prompts: []string{prompt}})
}

// heard shows the dialogue so far: what the agent and the user said, and nobody else.
const heard = `{{range .All}}{{if or (eq .Agent "` + Agent + `") (eq .Agent "` + User + `")}}

{{.Agent}}:
{{.Text}}{{end}}{{end}}`

// Consult has an agent talk with a user, turn by turn; the agent has the last word. The user sees the hidden field, and so does the critic, who
// grades every message of the agent where there is one.
func Consult(turns int, critic bool) workflow.Spec {
	hidden := "{{.Fields." + Hidden + "}}\n\n"
	agents, speak := []string{Agent}, []workflow.Step{{Ask: []string{Agent}, Prompts: []string{question + heard}}}
	if critic {
		agents = append(agents, Critic)
		speak = append(speak, workflow.Step{Ask: []string{Critic}, Prompts: []string{hidden + question + heard}})
	}
	if turns < 2 { // the user is never asked
		return of(agents, Agent, speak...)
	}
	reply := workflow.Step{Ask: []string{User}, Prompts: []string{question + "\n\n" + hidden + heard}}
	turn := append(speak[:len(speak):len(speak)], reply)
	return of(append(agents, User), Agent, append([]workflow.Step{{Repeat: turns - 1, Steps: turn}}, speak...)...)
}
