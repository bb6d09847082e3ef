package malt

import _ "embed"

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
