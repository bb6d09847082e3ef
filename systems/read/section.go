package read

import (
	_ "embed"

	"parley/rl/learn"
)

// Keys are what recipes may say of ReAd. One update plays training.problems episodes in open loop: the data of the critic.
type Keys struct {
	Plan      string  `yaml:"plan" default:"S" oneof:"S J"`
	Pays      float64 `yaml:"pays" default:"1"`
	Critic    string  `yaml:"critic" default:"table" oneof:"table network"`
	Hidden    int     `yaml:"hidden" default:"256" min:"1" max:"4096"`
	Rate      float64 `yaml:"rate" default:"0.001" min:"0.0000001"`
	Batch     int     `yaml:"batch" default:"32" min:"1"`
	Steps     int     `yaml:"steps" default:"20000" min:"1"`
	Discount  float64 `yaml:"discount" default:"0.9" min:"0.0001" max:"1"`
	Threshold float64 `yaml:"threshold" default:"0" min:"0"`
	Schedule  string  `yaml:"schedule" default:"per_robot" oneof:"per_robot paper"`
	Tries     int     `yaml:"tries" default:"10" min:"1" max:"100"`
	Votes     int     `yaml:"votes" default:"5" min:"1" max:"100"`
	Repeats   int     `yaml:"repeats" default:"1" min:"1" max:"1000"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Keys) KeyTexts() (file, text string) { return "systems/read/keys.md", keyTexts }

// Algorithm is ReAd's entry in the register.
func Algorithm() learn.Algorithm {
	a := learn.OfItself(learn.Algorithm{
		Name: "read", About: "ReAd: a frozen planner is asked again until a learned critic agrees; the critic alone is trained",
		Sections: []learn.Section{{
			Name: "read", Settings: Keys{},
			Rules: []learn.Rule{{Keys: []string{"algorithm", "team.agents"}, Broken: learn.PairInWorld, Hint: "write the robots of the world by name"}},
			Idle: []learn.Idle{{When: func(v learn.View) string {
				return learn.If(learn.SettingsIn[Keys](v.Settings).Critic == "table", "read.critic is table")
			}, Keys: []string{"read.hidden", "read.rate", "read.batch", "read.steps"}}},
		}},
		Steps: func(learn.Outline) int { return 0 },
	})
	a.CriticOnly = true
	return a
}
