package protocols

import (
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"

	"parley/team"
	"parley/team/workflow"
)

// A writer puts the agents' steps into a workflow.
type writer func(*workflow.Spec, team.Settings)

// writers are what the words stand for.
var writers = map[string]writer{"debate": debate, "parallel": parallel, "single": parallel, "central": central, "pipeline": pipeline, "leader": leader}

// opens makes the protocol of a word.
func opens(word string) func(team.Settings) (team.Protocol, error) {
	return func(s team.Settings) (team.Protocol, error) {
		if s.Agents < 1 || s.Turns < 1 {
			return nil, fmt.Errorf("a team needs at least one agent and one turn, not %d and %d", s.Agents, s.Turns)
		}
		if len(s.Roles) != 0 && len(s.Roles) != s.Agents {
			return nil, fmt.Errorf("%d roles for %d agents: give one text per agent", len(s.Roles), s.Agents)
		}
		spec, _ := Workflow(word, s)
		return workflow.New(spec)
	}
}

// Workflow is what a word of team.protocol means. ok is false for a protocol of the caller's own, which has no such form.
func Workflow(protocol string, s team.Settings) (spec workflow.Spec, ok bool) {
	write, ok := writers[protocol]
	if !ok {
		return spec, false
	}
	spec = workflow.Spec{
		Numbered: true, System: s.Prompts.System, Examples: s.Prompts.Examples, ShowScores: s.ShowScores, Feedback: s.Feedback, Chat: s.Memory,
		Answer: workflow.Answer{Kind: workflow.EveryTurn},
	}
	for i := range s.Agents {
		a := workflow.Agent{Name: fmt.Sprintf("agent%d", i+1)}
		if len(s.Roles) > 0 {
			a.Role = s.Roles[i]
		}
		spec.Agents = append(spec.Agents, a)
	}
	write(&spec, s)
	place(spec.Steps, "team.workflow")
	return spec, true
}

// names are those of the agents.
func names(s *workflow.Spec) []string {
	var out []string
	for _, a := range s.Agents {
		out = append(out, a.Name)
	}
	return out
}

// place gives steps their places.
func place(steps []workflow.Step, within string) {
	for i := range steps {
		steps[i].Place = fmt.Sprintf("%s[%d]", within, i)
		place(steps[i].Steps, steps[i].Place+".steps")
	}
}

// debate: all answer, then all answer again as often as there are further turns.
func debate(spec *workflow.Spec, s team.Settings) {
	all := names(spec)
	spec.OwnOnly = !s.SeeOthers
	spec.Steps = []workflow.Step{{Ask: all, Prompts: []string{s.Prompts.First}}}
	if s.Turns > 1 {
		spec.Steps = append(spec.Steps, workflow.Step{Repeat: s.Turns - 1, Steps: []workflow.Step{{Ask: all, Prompts: []string{s.Prompts.Later}, Boxed: s.Boxed, Continue: true}}})
	}
}

// parallel is a debate in which nobody sees the others.
func parallel(spec *workflow.Spec, s team.Settings) {
	s.SeeOthers, s.Boxed = false, false
	debate(spec, s)
}

const listed = `{{range .Others}}

Agent {{.Agent}}:
{{.Text}}{{end}}`

// pipeline: one after the other, each after reading all before it.
func pipeline(spec *workflow.Spec, s team.Settings) {
	before := strings.ReplaceAll("{{if .Others}}\n\nThose before you wrote:"+listed+"{{end}}", ".Others", ".All")
	for _, a := range spec.Agents {
		spec.Steps = append(spec.Steps, workflow.Step{Ask: []string{a.Name}, Prompts: []string{asInTurnOne(s.Prompts.First) + before}})
	}
}

// leader: the others propose, then the first agent decides.
func leader(spec *workflow.Spec, s team.Settings) {
	first, others := names(spec)[:1], names(spec)[1:]
	prompt := func(headline string) []string {
		return []string{asInTurnOne(s.Prompts.First) + "{{if .Others}}\n\n" + headline + listed + "{{end}}"}
	}
	spec.Steps = []workflow.Step{{Repeat: s.Turns / 2, Steps: []workflow.Step{
		{Ask: others, Prompts: prompt("The team's leader answered:")},
		{Ask: first, Prompts: prompt("Your team wrote:")},
	}}}
}

// central: one model is asked what all agents would be asked.
func central(spec *workflow.Spec, s team.Settings) {
	var b strings.Builder
	fmt.Fprintf(&b, "You do the work of %d agents.\n\n", s.Agents)
	for i, a := range spec.Agents {
		fmt.Fprintf(&b, "Agent %d is asked:\n%s\n\n", i+1, bound(s.Prompts.First, i+1, a.Role))
	}
	b.WriteString("Write what each agent answers, and nothing else, in this form:")
	for i := range spec.Agents {
		open, shut := team.Tags(i)
		fmt.Fprintf(&b, "\n%s\n...\n%s", open, shut)
	}
	if len(spec.Agents) > 0 {
		spec.System = bound(s.Prompts.System, 1, spec.Agents[0].Role)
	}
	spec.Agents, spec.Answer.Kind = []workflow.Agent{{Name: "agent1"}}, workflow.Tagged
	spec.Steps = []workflow.Step{{Ask: names(spec), Prompts: []string{b.String()}}}
}

// asInTurnOne is a template as turn 1 renders it, whatever the turn.
func asInTurnOne(source string) string {
	return rewritten(source, map[string]parse.Node{"Turn": &parse.NumberNode{NodeType: parse.NodeNumber, Text: "1", IsInt: true, Int64: 1}})
}

// bound is a template as turn 1 renders it for an agent, whoever is asked.
func bound(source string, agent int, role string) string {
	number := fmt.Sprint(agent)
	return rewritten(asInTurnOne(source), map[string]parse.Node{
		"Agent": &parse.NumberNode{NodeType: parse.NodeNumber, Text: number, IsInt: true, Int64: int64(agent)},
		"Role":  &parse.StringNode{NodeType: parse.NodeString, Quoted: fmt.Sprintf("%q", role), Text: role},
	})
}

// rewritten is a template with constants in the place of fields. One that does not parse, or reads none of them, stays as it is.
func rewritten(source string, constants map[string]parse.Node) string {
	t, err := template.New("").Parse(source)
	if err != nil || t.Tree == nil {
		return source
	}
	r := rewriter{constants: constants}
	r.node(t.Root, true)
	if !r.changed {
		return source
	}
	return t.Root.String()
}

// A rewriter puts constants in the place of the fields of what a template is executed with.
type rewriter struct {
	constants map[string]parse.Node
	changed   bool
}

// node rewrites what is below a node; dot says that the dot there is what the template is executed with.
func (r *rewriter) node(n parse.Node, dot bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, child := range n.Nodes {
			r.node(child, dot)
		}
	case *parse.ActionNode:
		r.node(n.Pipe, dot)
	case *parse.IfNode:
		r.branch(&n.BranchNode, dot, dot)
	case *parse.RangeNode:
		r.branch(&n.BranchNode, dot, false)
	case *parse.WithNode:
		r.branch(&n.BranchNode, dot, false)
	case *parse.PipeNode:
		if n == nil {
			return
		}
		for _, c := range n.Cmds {
			for i, arg := range c.Args {
				c.Args[i] = r.argument(arg, dot)
				r.node(c.Args[i], dot)
			}
		}
	}
}

func (r *rewriter) branch(n *parse.BranchNode, dot, within bool) {
	r.node(n.Pipe, dot)
	r.node(n.List, within)
	r.node(n.ElseList, dot)
}

func (r *rewriter) argument(arg parse.Node, dot bool) parse.Node {
	name := ""
	switch n := arg.(type) {
	case *parse.FieldNode:
		if dot && len(n.Ident) == 1 {
			name = n.Ident[0]
		}
	case *parse.VariableNode:
		if len(n.Ident) == 2 && n.Ident[0] == "$" {
			name = n.Ident[1]
		}
	}
	if c, ok := r.constants[name]; ok {
		r.changed = true
		return c
	}
	return arg
}
