package keys

import (
	"fmt"
	"slices"
	"strings"

	"parley/recipe/schema"
)

// Steps are a workflow, one after the other.
type Steps []Step

// A Step asks, acts, repeats, or assigns groups: each has its keys.
type Step struct {
	Ask     Names  `yaml:"ask"`
	Prompt  Names  `yaml:"prompt"`
	Chat    string `yaml:"chat" default:"new" oneof:"new continue"`
	Shows   string `yaml:"shows" default:"written" oneof:"written boxed"`
	When    string `yaml:"when"`
	Note    string `yaml:"note"`
	Samples int    `yaml:"samples" min:"0"`
	Act     Names  `yaml:"act"`
	Repeat  int    `yaml:"repeat" min:"0"`
	Until   string `yaml:"until"`
	Steps   Steps  `yaml:"steps"`
	Groups  Groups `yaml:"groups"`
}

// Shortens says that an episode may have fewer turns than the steps ask in at most.
func (s Steps) Shortens() bool {
	return slices.ContainsFunc(s, func(x Step) bool { return x.When != "" || x.Until != "" || x.Steps.Shortens() })
}

// Kind implements [schema.Tree].
func (*Steps) Kind() string { return "list of steps" }

// Read implements [schema.Tree].
func (s *Steps) Read(n schema.Node) {
	items, ok := n.Items()
	if !ok {
		n.Expect("a list of steps", `write for example - {ask: writer, prompt: "{{.Question}}"}`)
		return
	}
	for _, item := range items {
		var step Step
		schema.Defaults(&step)
		item.Section(&step)
		*s = append(*s, step)
	}
}

// Write implements [schema.Tree].
func (s *Steps) Write(indent string) string {
	if len(*s) == 0 {
		return " []"
	}
	var b strings.Builder
	for _, step := range *s {
		for i, line := range schema.Lines(&step, indent+"    ") {
			if i == 0 {
				line = indent + "  - " + strings.TrimPrefix(line, indent+"    ")
			}
			b.WriteString("\n" + line)
		}
	}
	return b.String()
}

// Names are one text or several.
type Names []string

// Kind implements [schema.Tree].
func (*Names) Kind() string { return "text, or list of texts" }

// Read implements [schema.Tree].
func (t *Names) Read(n schema.Node) {
	if text, ok := n.Text(); ok {
		*t = Names{text}
		return
	}
	items, ok := n.Items()
	if !ok {
		n.Expect("a text or a list of texts", "put it in quotes")
		return
	}
	for _, item := range items {
		text, ok := item.Text()
		if !ok {
			item.Expect("a text", "put it in quotes")
		}
		*t = append(*t, text)
	}
}

// Write implements [schema.Tree].
func (t *Names) Write(indent string) string { return schema.Texts(*t, indent) }

// Groups are drawn from the agents.
type Groups []Group

// A Group is a name for some agents.
type Group struct {
	Name string
	Size int
}

// Kind implements [schema.Tree].
func (*Groups) Kind() string { return "groups by name with their sizes" }

// Read implements [schema.Tree].
func (g *Groups) Read(n schema.Node) {
	pairs, ok := n.Pairs()
	if !ok {
		n.Expect("groups by name with their sizes", "write for example groups: {red: 2, blue: 2}")
		return
	}
	for _, p := range pairs {
		size, ok := p.Int()
		if !ok {
			p.Expect("how many agents", "write for example red: 2")
		}
		*g = append(*g, Group{p.Name, size})
	}
}

// Write implements [schema.Tree].
func (g *Groups) Write(string) string {
	items := make([]string, len(*g))
	for i, group := range *g {
		items[i] = fmt.Sprintf("%s: %d", schema.Key(group.Name), group.Size)
	}
	return " {" + strings.Join(items, ", ") + "}"
}

// A TeamAnswer says what of all that was said is the team's: a name, vote, {vote: NAMES}, {joint: NAMES} or =EXPRESSION. Empty: the last text.
type TeamAnswer struct {
	Word  string // name, vote, joint, expression, every-turn or tagged; empty: the last text
	Names []string
	Expr  string
}

// Kinds of answers.
const (
	AnswerName       = "name"
	AnswerVote       = "vote"
	AnswerJoint      = "joint"
	AnswerExpression = "expression"
	AnswerEveryTurn  = "every-turn"
	AnswerTagged     = "tagged"
)

// Kind implements [schema.Tree].
func (*TeamAnswer) Kind() string { return "name, vote, {vote: names}, {joint: names} or =expression" }

// Read implements [schema.Tree].
func (a *TeamAnswer) Read(n schema.Node) {
	const example = "write for example answer: editor, or answer: {vote: [a, b]}"
	if text, ok := n.Text(); ok {
		a.word(text)
		return
	}
	pairs, ok := n.Pairs()
	if !ok || len(pairs) != 1 || pairs[0].Name != AnswerVote && pairs[0].Name != AnswerJoint {
		n.Expect("a name, vote, {vote: names}, {joint: names} or =expression", example)
		return
	}
	var names Names
	names.Read(pairs[0].Node)
	*a = TeamAnswer{Word: pairs[0].Name, Names: names}
}

func (a *TeamAnswer) word(text string) {
	source, computed := strings.CutPrefix(text, "=")
	switch {
	case computed:
		*a = TeamAnswer{Word: AnswerExpression, Expr: source}
	case text == AnswerVote, text == AnswerEveryTurn, text == AnswerTagged:
		*a = TeamAnswer{Word: text}
	case text != "":
		*a = TeamAnswer{Word: AnswerName, Names: []string{text}}
	}
}

// Write implements [schema.Tree].
func (a *TeamAnswer) Write(string) string {
	switch {
	case a.Word == AnswerExpression:
		return schema.Texts([]string{"=" + a.Expr}, "")
	case a.Word == AnswerVote && len(a.Names) == 0, a.Word == AnswerEveryTurn, a.Word == AnswerTagged:
		return " " + a.Word
	case a.Word == AnswerVote || a.Word == AnswerJoint:
		return fmt.Sprintf(" {%s: %s}", a.Word, schema.FlowList(a.Names))
	case a.Word == AnswerName:
		return schema.Texts(a.Names, "")
	}
	return ` ""`
}
