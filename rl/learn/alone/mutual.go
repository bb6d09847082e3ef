package alone

import (
	_ "embed"

	"parley/rl/learn"
)

// Mutual are the settings of a teacher and a student. One update plays training.problems episodes, one after another.
type Mutual struct {
	Mode         string  `yaml:"mode" default:"two-way" oneof:"two-way one-way none"`
	Discount     float64 `yaml:"discount" default:"0.95" min:"0.0001" max:"1"`
	Step         float64 `yaml:"step" default:"0.5" min:"0.0001" max:"1"`
	Explore      float64 `yaml:"explore" default:"0.2" min:"0" max:"1"`
	Comply       float64 `yaml:"comply" default:"0.5" min:"0" max:"1"`
	Credit       string  `yaml:"credit" default:"advantage" oneof:"advantage difference"`
	TeacherEvery int     `yaml:"teacher_every" default:"16" min:"1"`
}

//go:embed mutual.md
var mutualTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Mutual) KeyTexts() (file, text string) { return "rl/learn/alone/mutual.md", mutualTexts }

// Pair is the algorithm's entry in the register.
func Pair() learn.Algorithm {
	return entry(learn.Algorithm{
		Name: "mutual", About: "a bidirectional teacher–student, after Gu 2024: the first agent names actions, the second is a table that learns by Q-learning",
		Sections: []learn.Section{{
			Name: "mutual", Settings: Mutual{},
			Rules: []learn.Rule{{Keys: []string{"algorithm", "team.agents"}, Broken: inWorld, Hint: "write a teacher and a student by name, in this order"}},
		}},
	})
}
