package keys

import (
	"fmt"
	"strings"

	"parley/recipe/schema"
)

// FieldViewers say of fields of a problem which agents see them, and that no other one does. Fields that are not named are seen by all.
type FieldViewers []FieldViewer

// A FieldViewer is one field and the agents who see it.
type FieldViewer struct {
	Field  string
	Agents []string
}

// ByField are the agents by field.
func (f FieldViewers) ByField() map[string][]string {
	out := map[string][]string{}
	for _, v := range f {
		out[v.Field] = v.Agents
	}
	return out
}

// Kind implements [schema.Tree].
func (*FieldViewers) Kind() string { return "lists of agents, by field" }

// Read implements [schema.Tree].
func (f *FieldViewers) Read(n schema.Node) {
	const hint = "write for example fields: {solution: [user]}"
	pairs, ok := n.Pairs()
	if !ok {
		n.Expect("lists of agents, by field", hint)
		return
	}
	for _, p := range pairs {
		v := FieldViewer{Field: p.Name}
		names, _ := p.Items()
		for _, x := range names {
			name, ok := x.Text()
			if !ok {
				x.Expect("the name of an agent", hint)
			}
			v.Agents = append(v.Agents, name)
		}
		if len(v.Agents) == 0 {
			p.Fail(fmt.Sprintf("%s.%s names no agent: no agent would see the field", n.Path, p.Name), hint)
		}
		*f = append(*f, v)
	}
}

// Write implements [schema.Tree].
func (f *FieldViewers) Write(indent string) string {
	if len(*f) == 0 {
		return " {}"
	}
	var b strings.Builder
	for _, v := range *f {
		fmt.Fprintf(&b, "\n%s  %s: [%s]", indent, schema.Key(v.Field), strings.Join(v.Agents, ", "))
	}
	return b.String()
}
