package recipe

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
)

const presetKey = "preset"

// preset is the shipped recipe that a document names, whose values take the place of the defaults; empty: none.
func (d *decoder) preset(doc ast.Node) string {
	value := valueOf(doc, presetKey)
	if value == nil {
		return ""
	}
	lit, ok := literalOf(value)
	if !ok || lit.null || lit.text == "" {
		return "" // the section's own check says what is wrong with it
	}
	if _, shipped := shippedSource(lit.text); !shipped {
		d.fail(d.place(value), fmt.Sprintf("preset is %q, expected a shipped recipe", lit.text), meant(lit.text, Names()))
		return ""
	}
	return lit.text
}

// shippedRecipe is a preset without what names it.
func (l *Language) shippedRecipe(preset string) *Recipe {
	known, ok := l.starts.Load(preset)
	if !ok {
		p, err := l.Load(preset, nil)
		if err != nil {
			panic("internal error: preset: " + err.Error())
		}
		p.Preset, p.Name, p.About, p.Minutes, p.Experiment = preset, "", "", 0, Experiment{}
		known, _ = l.starts.LoadOrStore(preset, p)
	}
	return known.(*Recipe)
}

// start is what a recipe with a choice begins with: the defaults, or the values of a preset as far as it has the keys.
func (l *Language) start(preset string, c choice) *Recipe {
	r := l.empty(c)
	if preset == "" {
		return r
	}
	p := l.shippedRecipe(preset)
	theirs := p.schema()
	l.schema(c).leaves(func(f *field) {
		if their := theirs.find(f.path); their != nil && their.typ == f.typ {
			f.at(r).Set(their.at(p)) // lists are shared: nothing changes a list in place
		}
	})
	return r
}
