package sums

import (
	"context"
	_ "embed"

	"parley/task"
)

// duetName is what recipes call the task.
const duetName = "duet"

// DuetSettings are what recipes may say.
type DuetSettings struct {
	Steps int `yaml:"steps" default:"0" min:"0" max:"4"`
}

//go:embed duet.md
var duetTexts string

// KeyTexts is the Markdown file that says what each key means.
func (DuetSettings) KeyTexts() (file, text string) { return "task/sums/duet.md", duetTexts }

func (s DuetSettings) check(task.Team) []task.Fault {
	if s.Steps != 1 {
		return nil
	}
	return []task.Fault{{Key: "steps", Message: "is 1, expected 0, 2, 3 or 4: a single step has nothing to explain"}}
}

// DuetType returns the task for the register.
func DuetType() task.Type {
	return task.Define(task.Definition[DuetSettings]{
		Traits: task.Traits{
			Name: duetName, About: "The problems of sums answered by a pair, one in short and one at length, under one joint reward.",
			Answers: true, Joint: true, Solvable: true, Responses: task.Count{Least: 2, Most: 2},
		},
		Check: DuetSettings.check,
		Open: func(_ context.Context, s DuetSettings, _ task.Environment) (task.Task, error) {
			return NewDuet(Options{Steps: s.Steps})
		},
		Items: func(_ context.Context, s DuetSettings) (*task.ItemScorer, error) {
			t, err := NewDuet(Options{Steps: s.Steps})
			return &task.ItemScorer{Read: task.ReadProblem, Score: t.Score}, err
		},
	})
}
