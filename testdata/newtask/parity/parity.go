// Package parity asks whether a number is even or odd.
package parity

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"parley/task"
)

// Settings are what recipes may say.
type Settings struct {
	Digits int `yaml:"digits" default:"2" min:"1" max:"6"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/parity/keys.md", keyTexts }

// Type returns the task for the register.
func Type() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{Name: "parity", About: "Is a number even or odd?", Answers: true, Solvable: true, Choice: true, Responses: task.Count{Least: 1, Most: 1},
			Fields:  []task.Field{{Name: "digits", About: "how many digits the number has"}},
			Prompts: task.Prompts{First: "Even or odd, {{.Fields.digits}} digits: {{.Question}}", Later: "Even or odd? Again: {{.Question}}"}},
		Open: func(_ context.Context, s Settings, _ task.Environment) (task.Task, error) { return parity{s}, nil },
		Items: func(_ context.Context, s Settings) (*task.ItemScorer, error) {
			return &task.ItemScorer{Read: task.ReadProblem, Score: func(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
				return task.ScoreAnswer(parity{s}.Answer, p, responses)
			}}, nil
		},
	})
}

type parity struct{ Settings }

func (parity) Name() string { return "parity" }

// Problems lists the numbers of a length: those that end in 9 or 8 are held out.
func (t parity) Problems(split task.Split, n int) ([]task.Problem, error) {
	if split != task.Train && split != task.Test {
		return nil, fmt.Errorf("parity: no split %q: write train or test", split)
	}
	least := 1
	for range t.Digits - 1 {
		least *= 10
	}
	var out []task.Problem
	for x := least; x < 10*least && len(out) < n; x++ {
		if held := x%10 >= 8; held == (split == task.Test) {
			out = append(out, task.Problem{ID: fmt.Sprint("parity-", x), Question: fmt.Sprint(x), Truth: []string{"even", "odd"}[x%2], Fields: map[string]string{"digits": fmt.Sprint(t.Digits)}})
		}
	}
	return out, nil
}

// Answer is the last of the two words.
func (parity) Answer(text string) (canonical string, ok bool) {
	text = strings.ToLower(text)
	even, odd := strings.LastIndex(text, "even"), strings.LastIndex(text, "odd")
	if even == odd {
		return "", false
	}
	if even > odd {
		return "even", true
	}
	return "odd", true
}
