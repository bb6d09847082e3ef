package initcmd

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/usererror"
)

// The shapes of a team that are workflows of named agents; all others are protocols.
const (
	chain  = "chain"
	review = "review"
)

// shapes are those that are asked for, in this order; any protocol may be named too.
var shapes = []string{chain, review, "parallel", "debate", "leader"}

// sees says who sees what in a shape.
var sees = map[string]string{
	chain:      "one after the other; each reads all before it, and the last one answers",
	review:     "the second reads what the first wrote and sends it back, twice at most; the first one answers",
	"parallel": "all answer at once, each by itself",
	"debate":   "all answer, read each other, and answer again",
	"leader":   "the others propose, and the first one decides",
	"single":   "one agent",
	byProgram:  "your program decides",
	"central":  "one model writes the answers of all",
	"pipeline": "one after the other; each reads the one before it",
}

// drawn is a shape in one line, with the names of its agents.
func drawn(shape string, names []string) string {
	switch rest := names[1:]; {
	case shape == chain, shape == "pipeline":
		return strings.Join(names, " → ")
	case shape == review, shape == "debate":
		return strings.Join(names, " ⇄ ")
	case shape == "leader" && len(rest) > 0:
		return strings.Join(rest, ", ") + " → " + names[0]
	}
	return strings.Join(names, " | ")
}

// checkShape refuses a shape that is none, or that a number of agents cannot have.
func checkShape(shape string, agents int) error {
	known := append(slices.Clone(shapes), "single", "central", "pipeline")
	switch {
	case !slices.Contains(known, shape):
		if near := usererror.Nearest(shape, known); near != "" {
			return cli.Usagef("--protocol is %q; did you mean %q?", shape, near)
		}
		return cli.Usagef("--protocol is %q, expected one of %s", shape, strings.Join(known, ", "))
	case shape == review && agents != 2:
		return cli.Usagef("--protocol review is for two agents, one who writes and one who reviews, and there are %d; chain takes any number", agents)
	case agents == 1 && (shape == chain || shape == "leader" || shape == "debate" || shape == "pipeline"):
		return cli.Usagef("--protocol %s is for two agents or more, and there is one: name more with --agents or --roles, or write --protocol single", shape)
	}
	return nil
}

// unnamed matches what a name of an agent cannot have.
var unnamed = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// names are those of the agents: the first words of their roles, or agent1, agent2, ….
func (d *draft) names() []string {
	if d.asked != nil {
		return d.asked
	}
	out := make([]string, d.agents)
	for i := range out {
		if i < len(d.roles) {
			word, _, _ := strings.Cut(d.roles[i], ":")
			out[i] = strings.Trim(unnamed.ReplaceAllString(word, "_"), "_")
		}
		if out[i] == "" || out[i][0] >= '0' && out[i][0] <= '9' || slices.Contains(out[:i], out[i]) || slices.Contains(reserved, out[i]) {
			out[i] = fmt.Sprintf("agent%d", i+1)
		}
	}
	return out
}

// reserved are names that expressions and templates use themselves.
var reserved = []string{"all", "none", "world", "question", "said", "turn", "True", "False", "None"}

// steps says that the team is a workflow.
func (d *draft) steps() bool { return d.protocol == chain || d.protocol == review }

// stepsText writes the agents of a workflow, its steps and who answers.
func (d *draft) stepsText(p *page) {
	names := d.names()
	p.key(1, "protocol", "workflow", sees[d.protocol])
	p.key(1, "agents", "", "each with a role, which prompts know as .Role")
	for i, name := range names {
		role := "{}"
		if i < len(d.roles) {
			role = "{role: " + quote(d.roles[i]) + "}"
		}
		p.key(2, name, role, "")
	}
	p.key(1, "workflow", "", drawn(d.protocol, names)+"; prompts are Go templates")
	if len(d.fields) > 0 {
		fmt.Fprintf(p, "    # Other keys of a row are fields, such as %s.\n", oneLine(fieldTemplate(d.fields[0])))
	}
	if d.protocol == chain {
		for i, name := range names {
			d.step(p, 2, name, d.after(names[:i]))
		}
		p.key(1, "answer", names[len(names)-1], "whose answer is the team's")
		return
	}
	writer, reviewer := names[0], names[1]
	d.step(p, 2, writer, d.first())
	p.WriteString("    - repeat: 2\n")
	if d.answer != "" {
		fmt.Fprintf(p, "      until: agree(%q, %q)\n", writer, reviewer)
	}
	p.WriteString("      steps:\n")
	d.step(p, 4, reviewer, d.after(names[:1]))
	d.step(p, 4, writer, d.role()+"Question: {{.Question}}\nAgent 1 solution: {{.Last."+writer+"}}\nAgent 2 solution: {{.Last."+reviewer+"}}"+d.again())
	p.key(1, "answer", writer, "whose answer is the team's")
}

// step writes one ask.
func (d *draft) step(p *page, depth int, name, prompt string) {
	at := strings.Repeat("  ", depth)
	p.WriteString(at + "- ask: " + name + "\n")
	p.block(depth+1, "prompt", prompt)
}

// after is what an agent is asked that reads what others wrote.
func (d *draft) after(before []string) string {
	if len(before) == 0 {
		return d.first()
	}
	text := d.role() + "Question: {{.Question}}"
	for i, name := range before {
		text += fmt.Sprintf("\nAgent %d solution: {{.Last.%s}}", i+1, name)
	}
	return text + d.again()
}

// again ends a prompt that shows what others wrote. The base that ships was made with prompts that say the form only once.
func (d *draft) again() string {
	if text := "\nOnce again, the question is: {{.Question}}"; d.base == usualBase {
		return text
	}
	return d.form()
}
