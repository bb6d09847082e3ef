// Package alone holds the algorithms whose runs play by themselves: they have clocks of their own, or train what is no policy, so that they cannot
// be learners of whole updates. Their settings are declared here, their runs are in package train/together.
//
//	read.go    ReAd: a critic of prefixes of robots refines what a frozen planner proposes (arXiv 2405.14314)
//	alone.go  a teacher that is a language model and a student that is a table (after Gu, arXiv 2401.06603)
package alone

import (
	_ "embed"
	"errors"
	"fmt"

	"parley/rl/learn"
)

// entry is an algorithm that plays by itself. It has no learner: making one is an error.
func entry(a learn.Algorithm) learn.Algorithm {
	a.Kind, a.Episodes = learn.Debates, learn.FromItself
	a.New = func(learn.Config) (learn.Learner, error) {
		return nil, fmt.Errorf("algorithm %s plays by itself and learns from no episodes of others", a.Name)
	}
	return a
}

// inWorld refuses tasks and rewards that have no environment.
func inWorld(v learn.View) string {
	return learn.If(v.Read && v.Agents != 2, "algorithm is %s, which is for two agents in an environment, but team.agents is %d", v.Algorithm.Name, v.Agents)
}

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

// This file is the algorithm of teams of which nothing is trained: their agents are measured and talked with as their bases are (Corex, LessonL).
//
// It declares no settings, and there is no learner. Whoever would train such a team refuses before anything is opened.

// Algorithm is the entry in the register.
func Algorithm() learn.Algorithm {
	return learn.Algorithm{
		Name: "none", About: "nothing is trained; the team is measured by parley eval and talked with by parley chat", Kind: learn.Debates,
		Episodes: learn.FromNowhere, New: refuse,
	}
}

func refuse(learn.Config) (learn.Learner, error) {
	return nil, errors.New("internal error: a learner was made for a team that is not trained")
}
