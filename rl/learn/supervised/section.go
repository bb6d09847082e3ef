package supervised

import (
	_ "embed"

	"parley/rl/learn"
)

// section declares the settings of supervised learning. The pool is ordered by the scores of last answers, one by one (MAPoRL §4.7); a joint
// reward gives none of them.
func section() learn.Section {
	return learn.Section{Name: "sft", Settings: Settings{}, Rules: []learn.Rule{
		{Keys: []string{"algorithm", "reward.source"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && v.Joint, "algorithm is %s, but reward.source %s scores no single answers", v.Algorithm.Name, v.Reward)
		}, Hint: "it chooses debates by right answers: set reward.source to label"},
	}}
}

// Settings are those of supervised learning from the untrained team's best debates (MAPoRL §4.7).
type Settings struct {
	Keep        float64 `yaml:"keep" default:"0.1" min:"0.0001" max:"1"`
	Pool        string  `yaml:"pool" default:"update" oneof:"update run"`
	Epochs      int     `yaml:"epochs" default:"1" min:"1" max:"100"`
	Minibatches int     `yaml:"minibatches" default:"1" min:"1"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "rl/learn/supervised/keys.md", keyTexts }
