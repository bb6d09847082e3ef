package recipe

import (
	"embed"
	"reflect"
	"sync"

	"parley/internal/plainfile"
	"parley/recipe/catalog"
	"parley/recipe/schema"
	"parley/rl/learn"
	"parley/task"
	"parley/team"
)

// A Language is what recipes can say: the general keys, which are the fields of [Recipe], the sections that algorithms declare, and the keys
// that each task declares. Which keys of tasks there are in a recipe depends on the task that it names. A language may be used by several goroutines.
type Language struct {
	*catalog.Catalog
	starts sync.Map // of each preset: *Recipe
}

// NewLanguage returns the language with these tasks, protocols and algorithms. The first one of each is the default.
func NewLanguage(tasks []task.Type, protocols []team.Kind, algorithms []learn.Algorithm) *Language {
	return &Language{Catalog: catalog.New(reflect.TypeFor[Recipe](), tasks, protocols, algorithms)}
}

// empty returns a recipe of defaults with the settings of a choice's tasks. Its names are the usual ones.
func (l *Language) empty(c catalog.Choice) *Recipe {
	r := &Recipe{language: l}
	r.Task.Settings, r.Eval.Task.Settings = l.Settings(c.Task), l.Settings(c.Measured)
	for _, s := range l.Sections() {
		r.Sections = append(r.Sections, reflect.New(s.Type()).Interface())
	}
	l.Schema(c).SetDefaults(r)
	return r
}

// Defaults returns the recipe of an empty file: every key has its default. It has no name, so it is not yet a valid recipe.
func (l *Language) Defaults() *Recipe { return l.empty(l.Usual()) }

// Language returns the language that r is written in.
func (r *Recipe) Language() *Language { return r.language }

// choice is what r has chosen.
func (r *Recipe) choice() catalog.Choice {
	c := catalog.Choice{Task: r.Task.Name, Measured: r.Eval.Task.Name, Protocol: r.Team.Protocol}
	c.Rule = catalog.BundleOf(r.language.Sections(), r.language.Schema(c), r)
	return c
}

// schema returns all keys that r has.
func (r *Recipe) schema() *schema.Field {
	return r.language.Schema(catalog.Choice{Task: r.Task.Name, Measured: r.Eval.Task.Name})
}

// TaskType is what the recipe's task is.
func (r *Recipe) TaskType() *task.Type {
	t, known := r.language.Task(r.Task.Name)
	if !known {
		panic("internal error: task " + r.Task.Name)
	}
	return catalog.Described(t, r.Task.Settings)
}

// DefaultName is the shipped recipe that `parley train` runs when none is named.
const DefaultName = "debate-sums"

//go:embed shipped/*.yaml
var Files embed.FS // the shipped recipes, as they are written

var inBinary = plainfile.Shipped{FS: Files, Folder: "shipped"}

// Names lists the shipped recipes in alphabetical order.
func Names() []string { return inBinary.Names() }

// Shipped returns the recipes in the binary, in the order of [Names].
func (l *Language) Shipped() []*Recipe {
	var list []*Recipe
	for _, name := range Names() {
		r, err := l.Load(name, nil)
		if err != nil {
			panic("internal error: shipped recipe: " + err.Error())
		}
		list = append(list, r)
	}
	return list
}
