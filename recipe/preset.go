package recipe

import (
	"fmt"
	"sync"

	"github.com/goccy/go-yaml/ast"
)

const presetKey = "preset"

// preset fills r with the values of the shipped recipe that the document names, if it names one, before the document's own.
func (d *decoder) preset(r *Recipe, doc ast.Node) {
	m, ok := doc.(ast.MapNode)
	if !ok {
		return
	}
	for it := m.MapRange(); it.Next(); {
		if name, plain := keyName(it.Key()); !plain || name != presetKey {
			continue
		}
		lit, ok := literalOf(it.Value())
		if !ok || lit.null || lit.text == "" {
			return // the section's own check says what is wrong with it
		}
		if _, shipped := shippedSource(lit.text); !shipped {
			d.fail(d.place(it.Value()), fmt.Sprintf("preset is %q, expected a shipped recipe", lit.text), meant(lit.text, Names()))
			return
		}
		*r = *startOf(lit.text)
		return
	}
}

// starts remembers [startOf] of presets: every check of a recipe asks for it.
var starts sync.Map

// startOf is what a recipe begins with: the defaults, or the values of a preset without what names it.
func startOf(preset string) *Recipe {
	if preset == "" {
		return Defaults()
	}
	known, ok := starts.Load(preset)
	if !ok {
		p, err := Load(preset, nil)
		if err != nil {
			panic("internal error: preset: " + err.Error())
		}
		p.Preset, p.Name, p.About, p.Minutes, p.Experiment = preset, "", "", 0, Experiment{}
		known, _ = starts.LoadOrStore(preset, p)
	}
	r := *known.(*Recipe) // its lists are shared: nothing changes a list in place
	return &r
}

// presetOf is what r began with.
func presetOf(r *Recipe) *Recipe { return startOf(r.Preset) }
