// Package recipe reads the one YAML file that is an experiment.
//
// A recipe says which task is worked on, with which base model, by which team, how answers are rewarded, and with which
// algorithm the team's adapters are trained. It knows nothing of how any of that runs. What recipes can say is a [Language], composed
// of what is declared elsewhere: every key is a field of the struct [Recipe] and of the sections in package keys, of the settings of a
// task, or of a section that an algorithm declares ([learn.Section]), with its default and its range as struct tags; what it
// means stands in a Markdown file beside the struct.
// Package schema makes of these tags the strict parser (unknown key, wrong type, value out of range: every error at once, with line
// and column) and the printed form with defaults filled in; package pages, the reference in docs/recipes.md.
//
// This package puts them together, and says which values go together (rules), which keys have an effect (idle), and what is probably
// not meant (warnings). It asks for traits: what a task, a protocol or an algorithm is called, it does not know.
//
// Printing a parsed recipe and parsing the print gives the same recipe, so `parley recipe show NAME > mine.yaml` is the way
// to start an experiment of one's own.
package recipe

import (
	_ "embed"
	"reflect"
	"strings"

	"parley/recipe/keys"
	"parley/recipe/schema"
	"parley/rl/learn"
)

// A Recipe is one experiment. Field tags: default, oneof (the words allowed), min and max (inclusive), names (what on disk its texts name,
// see package paths), early (only a file can give it).
type Recipe struct {
	Name    string  `yaml:"name"`
	About   string  `yaml:"about"`
	Minutes float64 `yaml:"minutes" default:"0" min:"0"`
	Preset  string  `yaml:"preset" default:"" early:"yes"`

	Model    string   `yaml:"model" names:"model" default:"parley-base"`
	Models   []string `yaml:"models" names:"model"`
	Truncate string   `yaml:"truncate" default:"error" oneof:"error left"`

	Seed   int         `yaml:"seed" default:"1" min:"0" most:"none"`
	Date   string      `yaml:"date" default:""`
	Memory string      `yaml:"memory" default:"" unit:"GiB"`
	Engine keys.Engine `yaml:"engine"`

	Task     keys.Task      `yaml:"task"`
	Team     keys.Team      `yaml:"team"`
	Servers  keys.Servers   `yaml:"servers"`
	Sampling keys.Sampling  `yaml:"sampling"`
	Sampler  keys.Sampler   `yaml:"sampler"`
	Policies learn.Policies `yaml:"policies"`
	Reward   keys.Reward    `yaml:"reward"`

	Algorithm string `yaml:"algorithm"`
	// Sections are the settings of the families of algorithms, in the order of the language: pointers to structs that nobody changes. In a file,
	// each is a section behind algorithm. See [Section].
	Sections []any `yaml:"-"`

	Optimizer learn.Optimizer `yaml:"optimizer"`
	Training  keys.Training   `yaml:"training"`
	Eval      keys.Eval       `yaml:"eval"`
	Limits    keys.Limits     `yaml:"limits"`

	Experiment keys.Experiment `yaml:"experiment"`

	language *Language // that it is written in
}

//go:embed recipe.md
var recipeTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Recipe) KeyTexts() (file, text string) { return "recipe/recipe.md", recipeTexts }

// MemoryBytes is what memory says, in bytes; 0: nothing.
func (r *Recipe) MemoryBytes() float64 {
	bytes, _ := keys.Bytes(r.Memory)
	return bytes
}

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
