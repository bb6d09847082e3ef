package recipe

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// choose finds out what a recipe begins with and which tasks it names, before anything else is read: that decides which keys there are.
// What is wrong with the names, the reading itself says.
func (d *decoder) choose(docs []ast.Node, sets []string) (preset string) {
	d.choice = d.language.usual()
	for _, doc := range docs {
		if preset = d.preset(doc); preset != "" {
			d.choice = d.language.shippedRecipe(preset).choice()
		}
	}
	for key, name := range map[string]*string{"task.name": &d.choice.task, "eval.task.name": &d.choice.measured} {
		for _, doc := range docs {
			if value := valueOf(doc, key); value != nil {
				if lit, ok := literalOf(value); ok {
					*name = lit.text
				}
			}
		}
		for _, set := range sets {
			if text, ok := strings.CutPrefix(set, key+"="); ok {
				*name = text
			}
		}
	}
	return preset
}

// valueOf returns the value of a key such as task.name in a document; nil: it is not there.
func valueOf(doc ast.Node, path string) ast.Node {
	name, rest, deeper := strings.Cut(path, ".")
	m, ok := doc.(ast.MapNode)
	if !ok {
		return nil
	}
	for it := m.MapRange(); it.Next(); {
		switch key, plain := keyName(it.Key()); {
		case !plain || key != name:
		case deeper:
			return valueOf(it.Value(), rest)
		default:
			return it.Value()
		}
	}
	return nil
}
