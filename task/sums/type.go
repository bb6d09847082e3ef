package sums

import (
	"context"
	_ "embed"
	"fmt"

	"parley/task"
)

// name is what recipes call the task.
const name = "sums"

// Settings are what recipes may say.
type Settings struct {
	Steps     int    `yaml:"steps" default:"0" min:"0" max:"4"`
	MaxNumber int    `yaml:"max_number" default:"0" min:"0" max:"99"`
	Style     string `yaml:"style" default:"story" oneof:"story sum"`
	Answer    string `yaml:"answer" default:"boxed" oneof:"boxed last-number" scores:"yes" measured:"as trained"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/sums/keys.md", keyTexts }

// Unboxed implements [task.Unboxed].
func (s Settings) Unboxed() string {
	if s.Answer == "last-number" {
		return "answer is " + s.Answer
	}
	return ""
}

// options are those that the settings mean.
func (s Settings) options() Options {
	return Options{Steps: s.Steps, Most: s.MaxNumber, Bare: s.Style == "sum", Last: s.Unboxed() != ""}
}

// check refuses what [New] would refuse, and what the shipped base was drilled in.
func (s Settings) check(in task.Team) []task.Fault {
	var faults []task.Fault
	if s.Steps == 1 && in.Shipped != "" {
		faults = append(faults, task.Fault{
			Key: "steps", Message: "is 1, expected 0, 2, 3 or 4: sums of one step are what " + in.Shipped + " was drilled in",
			Hint: "sums of one step are for other base models",
		})
	}
	if n := s.MaxNumber; n != 0 && n < 10 {
		faults = append(faults, task.Fault{Key: "max_number", Message: fmt.Sprintf("is %d, expected 0 or 10 to 99", n)})
	}
	return faults
}

// Type returns the task for the register.
func Type() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: name, About: "Word problems of two or three steps of whole-number arithmetic, generated.",
			Answers: true, Solvable: true, Responses: task.Count{Least: 1, Most: 1},
		},
		Check: Settings.check,
		Open:  func(_ context.Context, s Settings, _ task.Environment) (task.Task, error) { return New(s.options()) },
		Items: func(_ context.Context, s Settings) (*task.ItemScorer, error) {
			t, err := New(s.options())
			return &task.ItemScorer{Read: task.ReadProblem, Score: func(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
				return task.ScoreAnswer(t.Answer, p, responses)
			}}, err
		},
	})
}
