package fuse

import (
	_ "embed"

	"parley/systems/fuse/fusion"
)

// Settings are those of learning from teachers (FuseLLM §3).
type Settings struct {
	Teachers    []string `yaml:"teachers" names:"model"`
	Text        string   `yaml:"text" default:"{{.Truth}}"`
	Align       string   `yaml:"align" default:"mined" oneof:"mined exact"`
	Fusion      string   `yaml:"fusion" default:"min_ce" oneof:"min_ce avg_ce"`
	Per         string   `yaml:"per" default:"token" oneof:"token char"`
	Schedule    string   `yaml:"schedule" default:"fixed" oneof:"fixed linear dynamic"`
	Lambda      float64  `yaml:"lambda" default:"0.9" min:"0" max:"1"`
	Top         int      `yaml:"top" default:"10" min:"1" max:"1000"`
	Temperature float64  `yaml:"temperature" default:"1" min:"0.01" max:"100"`
	Epochs      int      `yaml:"epochs" default:"1" min:"1" max:"100"`
	Minibatches int      `yaml:"minibatches" default:"1" min:"1"`
}

//go:embed fuse.md
var fuseTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "systems/fuse/fuse.md", fuseTexts }

// Objective says how the teachers are put together.
func (s Settings) Objective() fusion.Objective { return fusion.Objective{Fusion: s.Fusion, Per: s.Per} }

// Weight says how much the text itself counts.
func (s Settings) Weight() fusion.Schedule { return fusion.Schedule{Kind: s.Schedule, Value: s.Lambda} }

// Distil are the settings of learning from a trained team.
type Distil struct {
	Run  string `yaml:"run" names:"policy" default:""`
	Join string `yaml:"join" default:""`
}

//go:embed distil.md
var distilTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Distil) KeyTexts() (file, text string) { return "systems/fuse/distil.md", distilTexts }
