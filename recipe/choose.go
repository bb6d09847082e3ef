package recipe

import (
	"strings"

	"parley/recipe/catalog"
)

// choose finds out what a recipe begins with and which tasks it names, before anything else is read: that decides which keys there are.
// It reports no wrong names: the reading itself does.
func (d *reader) choose(sets []string) (preset string) {
	d.choice = d.language.Usual()
	if preset = d.preset(); preset != "" {
		d.choice = d.language.shippedRecipe(preset).choice()
	}
	for key, name := range map[string]*string{"task.name": &d.choice.Task, "eval.task.name": &d.choice.Measured} {
		if value, ok := d.Lookup(key); ok {
			*name = value.Text
		}
		for _, set := range sets {
			if text, ok := strings.CutPrefix(set, key+"="); ok {
				*name = text
			}
		}
	}
	if rule := catalog.ChosenBundle(d.language.Sections(), d.Lookup, sets); rule != "" {
		d.choice.Rule = rule
	}
	return preset
}
