package recipe

import (
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/recipe/keys"
	"parley/recipe/schema"
)

// Explain implements [schema.Vocabulary]: the key is one of another task, or an earlier release or another tool calls one so.
func (d *reader) Explain(k schema.Unknown) (message, hint string, fine bool) {
	theirs := d.language.Declared(k.Path)
	if len(theirs) == 0 {
		message, hint = keys.Key(k.Path)
		return message, hint, false
	}
	why, known := d.language.Why(d.choice, schema.ParentOf(k.Path))
	// The default that one of the tasks gives it says nothing, in a recipe that was printed in full.
	if printed := d.lenient && !k.Set; !known || printed || slices.ContainsFunc(theirs, k.Has) {
		return "", "", true
	}
	if k.Path == "task.path" {
		return usererror.Word(k.Path, "data=") + " has no effect with " + why, "leave it out; tasks that take it are " + strings.Join(d.language.Takers(k.Path), ", "), false
	}
	return k.Path + " has no effect with " + why, "leave it out", false
}

// Keys implements [schema.Vocabulary].
func (d *reader) Keys() []string { return d.language.EveryKey() }

// Reference implements [schema.Vocabulary].
func (d *reader) Reference() string { return "docs/recipes.md and its pages list all keys" }

// Example implements [schema.Vocabulary].
func (d *reader) Example() string { return "team.turns=3" }

// Renamed says that some key has the name of an earlier release.
func Renamed(wrong *Errors) bool {
	return slices.ContainsFunc(wrong.List, func(one Error) bool { return keys.Renamed(one.Message) })
}
