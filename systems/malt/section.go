package malt

import (
	_ "embed"
	"slices"

	"parley/rl/learn"
	"parley/rl/learn/group/words"
)

// section declares the settings of learning from trees.
func section() learn.Section {
	return learn.Section{Name: "malt", Settings: Settings{}, Rules: rules(), Idle: idle()}
}

// of are the values of malt in the recipe that v shows.
func of(v learn.View) Settings { return learn.SettingsIn[Settings](v.Settings) }

// unread are the keys of groups that say how completions are compared in numbers, or how steps are buffered.
func unread() []string {
	return slices.Concat([]string{
		"group.joint", "group.cross_credit", "group.discount", "group.normalize", "group.reduction", "group.terminate", "group.buffer",
		"group.buffer_across_updates", "group.train_batch", "group.ratio_cap", "group.kl", "group.turn_weights", "group.end_value", "group.end_weight",
		"group.logprobs_at", "group.padding",
	}, words.DecisionKeys(), words.AlternativeKeys())
}

func rules() []learn.Rule {
	mine := func(v learn.View) bool { return v.Algorithm.Name == MALT().Name }
	return []learn.Rule{
		{Keys: []string{"algorithm", "team.workflow"}, Broken: func(v learn.View) string {
			return learn.If(mine(v) && v.Together, "algorithm is malt, but some turn asks several agents at once: it needs the alternatives of one agent's message")
		}, Hint: "ask one agent after the other"},
		{Keys: []string{"malt.epochs", "malt.preferences"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && of(v).Epochs == 0 && of(v).Preferences == "none", "malt.epochs is 0 and malt.preferences is none: nothing is learned")
		}, Hint: "set one of them"},
	}
}

// idle are the keys of pairs where nobody learns from them.
func idle() []learn.Idle {
	return []learn.Idle{{When: func(v learn.View) string {
		return learn.If(v.Read && of(v).Preferences == "none", "malt.preferences none")
	}, Keys: []string{"malt.pair_epochs", "malt.beta", "malt.pair_rate"}}}
}

func sections() []learn.Section { return slices.Concat([]learn.Section{words.Section(), section()}) }

// Settings are those of learning from trees of alternatives.
type Settings struct {
	Pool        string  `yaml:"pool" default:"run" oneof:"run update"`
	Right       float64 `yaml:"right" default:"1"`
	Epochs      int     `yaml:"epochs" default:"1" min:"0" max:"100"`
	Batch       int     `yaml:"batch" default:"8" min:"1"`
	Preferences string  `yaml:"preferences" default:"later" oneof:"none later all"`
	PairEpochs  int     `yaml:"pair_epochs" default:"1" min:"1" max:"100"`
	Beta        float64 `yaml:"beta" default:"0.2" min:"0.0001"`
	PairRate    float64 `yaml:"pair_rate" default:"0.1" min:"0"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "systems/malt/keys.md", keyTexts }
