package recipe

import (
	"fmt"

	"parley/internal/usererror"
	"parley/recipe/catalog"
	"parley/recipe/keys"
	"parley/recipe/schema"
)

// preset is the shipped recipe that the text names, whose values take the place of the defaults; empty: none.
func (d *reader) preset() string {
	value, ok := d.Lookup("preset")
	if !ok || value.Null || value.Text == "" {
		return "" // the section's own check says what is wrong with it
	}
	if _, shipped := inBinary.Text(value.Text); shipped {
		return value.Text
	}
	hint := ""
	if near := usererror.Nearest(value.Text, Names()); near != "" {
		hint = `did you mean "` + near + `"?`
	}
	d.Fail(value.At, fmt.Sprintf("preset is %q, expected a shipped recipe", value.Text), hint)
	return ""
}

// shippedRecipe is a preset without what names it.
func (l *Language) shippedRecipe(preset string) *Recipe {
	known, ok := l.starts.Load(preset)
	if !ok {
		p, err := l.Load(preset, nil)
		if err != nil {
			panic("internal error: preset: " + err.Error())
		}
		p.Preset, p.Name, p.About, p.Minutes, p.Experiment = preset, "", "", 0, keys.Experiment{}
		known, _ = l.starts.LoadOrStore(preset, p)
	}
	return known.(*Recipe)
}

// start is what a recipe with a choice begins with: the defaults, or the values of a preset as far as it has the keys.
func (l *Language) start(preset string, c catalog.Choice) *Recipe {
	r := l.empty(c)
	defer catalog.PutBundle(l.Sections(), c.Rule, l.Schema(c), r)
	if preset == "" {
		l.Begin(c.Protocol, l.Schema(c), r)
		return r
	}
	p := l.shippedRecipe(preset)
	if p.Team.Protocol != c.Protocol {
		defer l.Begin(c.Protocol, l.Schema(c), r)
	}
	theirs := p.schema()
	l.Schema(c).Leaves(func(f *schema.Field) {
		if their := theirs.Find(f.Path); their != nil && their.Type == f.Type {
			f.At(r).Set(their.At(p)) // lists are shared: nothing changes a list in place
		}
	})
	return r
}
