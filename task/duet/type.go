package duet

import (
	"context"
	_ "embed"

	"parley/task"
)

// name is what recipes call the task.
const name = "duet"

// Settings are what recipes may say.
type Settings struct {
	Steps int `yaml:"steps" default:"0" min:"0" max:"4"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/duet/keys.md", keyTexts }

func (s Settings) check(task.Team) []task.Fault {
	if s.Steps != 1 {
		return nil
	}
	return []task.Fault{{Key: "steps", Message: "is 1, expected 0, 2, 3 or 4: a single step has nothing to explain"}}
}

// Type returns the task for the register.
func Type() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: name, About: "The problems of sums answered by a pair, one in short and one at length, under one joint reward.",
			Answers: true, Joint: true, Solvable: true, Responses: task.Count{Least: 2, Most: 2},
		},
		Check: Settings.check,
		Open: func(_ context.Context, s Settings, _ task.Environment) (task.Task, error) {
			return New(Options{Steps: s.Steps})
		},
		Items: func(_ context.Context, s Settings) (*task.ItemScorer, error) {
			t, err := New(Options{Steps: s.Steps})
			return &task.ItemScorer{Read: task.ReadProblem, Score: t.Score}, err
		},
	})
}
