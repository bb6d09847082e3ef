package team

import (
	"maps"
	"slices"
	"text/template/parse"
)

// FieldNames lists the names of the problem's fields that the templates use: {{.Fields.NAME}} and {{index .Fields "NAME"}}. Templates that do
// not parse use none.
func (p Prompts) FieldNames() []string {
	c, err := p.compile()
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for _, t := range []*textTemplate{c.system, c.first, c.later} {
		if t.t.Root() != nil {
			fieldsIn(t.t.Root(), names)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// fieldsIn adds the names below a node.
func fieldsIn(n parse.Node, names map[string]bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, child := range n.Nodes {
			fieldsIn(child, names)
		}
	case *parse.ActionNode:
		fieldsIn(n.Pipe, names)
	case *parse.IfNode:
		branches(&n.BranchNode, names)
	case *parse.RangeNode:
		branches(&n.BranchNode, names)
	case *parse.WithNode:
		branches(&n.BranchNode, names)
	case *parse.PipeNode:
		if n == nil {
			return
		}
		for _, c := range n.Cmds {
			indexed(c, names)
			for _, arg := range c.Args {
				fieldsIn(arg, names)
			}
		}
	case *parse.FieldNode:
		named(n.Ident, names)
	case *parse.VariableNode:
		named(n.Ident[1:], names) // behind $
	}
}

func branches(n *parse.BranchNode, names map[string]bool) {
	fieldsIn(n.Pipe, names)
	fieldsIn(n.List, names)
	fieldsIn(n.ElseList, names)
}

// indexed adds the name in index .Fields "NAME".
func indexed(c *parse.CommandNode, names map[string]bool) {
	if len(c.Args) != 3 || c.Args[0].String() != "index" || c.Args[1].String() != ".Fields" && c.Args[1].String() != "$.Fields" {
		return
	}
	if key, ok := c.Args[2].(*parse.StringNode); ok {
		names[key.Text] = true
	}
}

// named adds the name in .Fields.NAME.
func named(path []string, names map[string]bool) {
	if len(path) >= 2 && path[0] == "Fields" {
		names[path[1]] = true
	}
}
