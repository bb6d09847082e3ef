package sums

import (
	"context"
	"fmt"

	"parley/task"
)

// name is what recipes call the task.
const name = "sums"

// Settings are what recipes may say.
type Settings struct {
	Steps     int    `yaml:"steps" default:"0" min:"0" max:"4" doc:"Arithmetic steps of a problem; 0: a mixture of 2 and 3, which the shipped base has learned."`
	MaxNumber int    `yaml:"max_number" default:"0" min:"0" max:"99" doc:"Largest number of a problem and of its solution, 10 to 99; 0: 99."`
	Style     string `yaml:"style" default:"story" oneof:"story sum" doc:"A story that asks for the result of a sum, or the sum alone, such as 23 + 18 - 12."`
	Answer    string `yaml:"answer" default:"boxed" oneof:"boxed last-number" scores:"yes" measured:"as trained" doc:"What counts as the answer of a text: the number in its last box, or its last number (for models that box nothing)."`
}

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
