package recipe

import (
	"reflect"
	"strings"

	"parley/recipe/schema"
)

// YAML prints the whole recipe in struct order, every default filled in, with the meaning of each key as a comment.
// Parsing the print gives the recipe again.
func (r *Recipe) YAML() []byte {
	return schema.Print(r.schema(), r, func(*schema.Field) bool { return true })
}

// TeamYAML prints the keys of the team that are not at their defaults, as a section of a file.
func (r *Recipe) TeamYAML() []byte {
	return []byte("team:\n" + strings.Join(schema.Lines(&r.Team, "  "), "\n") + "\n")
}

// ApplyingYAML prints like [Recipe.YAML], without the keys that have no effect in r and without sections in which no key is left. Parsing
// the print gives the recipe again.
func (r *Recipe) ApplyingYAML() []byte {
	idle, start := r.idle(), r.language.start(r.Preset, r.choice())
	return schema.Print(r.schema(), r, func(leaf *schema.Field) bool {
		// A value that the print's reader would not begin with has to stand in it, whether it has an effect or not.
		return !idle[leaf.Path] || !reflect.DeepEqual(leaf.At(r).Interface(), leaf.At(start).Interface())
	})
}
