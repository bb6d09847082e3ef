package actorcritic

import _ "embed"

// Settings are those of the critics of iac and maac (MAGRPO §5). Their turns are discounted by group.discount.
type Settings struct {
	Input  string  `yaml:"input" default:"v" oneof:"v q"`
	Head   string  `yaml:"head" default:"separate" oneof:"separate shared"`
	LR     float64 `yaml:"lr" default:"0" min:"0"`
	Coef   float64 `yaml:"coef" default:"0.6" min:"0"`
	Clip   float64 `yaml:"clip" default:"0.2" min:"0"`
	Init   float64 `yaml:"init" default:"0.02" min:"0"`
	Hidden int     `yaml:"hidden" default:"0" min:"0" max:"65536"`
	Whiten bool    `yaml:"whiten" default:"true"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "rl/learn/actorcritic/keys.md", keyTexts }
