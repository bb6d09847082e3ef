// Package recipe reads the one YAML file that is an experiment.
//
// A recipe says which task is worked on, with which base model, by which team, how answers are rewarded, and with which
// algorithm the team's adapters are trained. It knows nothing of how any of that runs. What recipes can say is a [Language], composed
// of what is declared elsewhere: every key is a field of the struct [Recipe] and of the sections in package keys, of the settings of a
// task, or of a section that an algorithm declares ([learn.Section]), with its default, its range and its meaning as struct tags.
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
	"parley/learn"
	"parley/recipe/keys"
)

// A Recipe is one experiment. Field tags: default, oneof (the words allowed), min and max (inclusive), names (what on disk its texts name,
// see package paths), early (only a file can give it), doc (one sentence).
type Recipe struct {
	Name    string  `yaml:"name" doc:"Name of the recipe and of its runs."`
	About   string  `yaml:"about" doc:"What the experiment shows, in one line."`
	Minutes float64 `yaml:"minutes" default:"0" min:"0" doc:"About how long it takes on two cores; 0: not known."`
	Preset  string  `yaml:"preset" default:"" early:"yes" doc:"A shipped recipe whose values take the place of the defaults, such as debate-sums; its name, about, minutes and experiment stay its own."`

	Model    string   `yaml:"model" names:"model" default:"parley-base" doc:"The frozen base: parley-base or, for games, parley-games (both ship in the binary), a folder in Hugging Face layout, a GGUF file, or the name of a pulled model."`
	Models   []string `yaml:"models" names:"model" doc:"The frozen base of each agent, where they differ: one name per agent, in agent order. Agents of one base share its weights; text passes between different ones. Empty: all agents have model."`
	Truncate string   `yaml:"truncate" default:"error" oneof:"error left" doc:"What happens to a prompt that does not fit its base's context: error stops; left drops its oldest tokens, system message and all, until sampling.max_tokens fit behind it (at most half the context is kept free for them)."`

	Seed   int         `yaml:"seed" default:"1" min:"0" most:"none" doc:"Root of every random choice of the run."`
	Date   string      `yaml:"date" default:"" doc:"The date that chat templates print which print one (Llama 3.2's does), such as 2026-07-14, in training, evaluation and chat. Empty: the day the run begins; run.json then has it, and the run keeps it."`
	Memory string      `yaml:"memory" default:"" unit:"GiB" doc:"Most memory that the run may be estimated to need, such as 8GiB; activations that do not fit are computed again. Empty: what the machine has."`
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

// MemoryBytes is what memory says, in bytes; 0: nothing.
func (r *Recipe) MemoryBytes() float64 {
	bytes, _ := keys.Bytes(r.Memory)
	return bytes
}
