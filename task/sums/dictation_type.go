package sums

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"parley/task"
)

// dictationName is what recipes call the task.
const dictationName = "dictation"

// DictationSettings are what recipes may say.
type DictationSettings struct {
	Items     int    `yaml:"items" default:"5" min:"1" max:"20"`
	Need      int    `yaml:"need" default:"0" min:"0" max:"20"`
	Steps     int    `yaml:"steps" default:"0" min:"0" max:"4"`
	MaxNumber int    `yaml:"max_number" default:"0" min:"0" max:"99"`
	Style     string `yaml:"style" default:"story" oneof:"story sum"`
	Answer    string `yaml:"answer" default:"boxed" oneof:"boxed last-number" scores:"yes" measured:"as trained"`
}

//go:embed dictation.md
var dictationTexts string

// KeyTexts is the Markdown file that says what each key means.
func (DictationSettings) KeyTexts() (file, text string) {
	return "task/sums/dictation.md", dictationTexts
}

func (s DictationSettings) options() SheetOptions {
	return SheetOptions{
		Options: Options{Steps: s.Steps, Most: s.MaxNumber, Bare: s.Style == "sum", Last: s.Answer == "last-number"},
		Items:   s.Items, Need: s.Need,
	}
}

// check refuses what [New] would refuse, and what the shipped base was drilled in.
func (s DictationSettings) check(in task.Team) []task.Fault {
	var faults []task.Fault
	if s.Need > s.Items {
		faults = append(faults, task.Fault{Key: "need", Message: fmt.Sprintf("is %d, expected at most items, %d", s.Need, s.Items)})
	}
	if s.Steps == 1 && in.Shipped != "" {
		faults = append(faults, task.Fault{Key: "steps", Message: "is 1, expected 0, 2, 3 or 4: sums of one step are what " + in.Shipped + " was drilled in"})
	}
	if n := s.MaxNumber; n != 0 && n < 10 {
		faults = append(faults, task.Fault{Key: "max_number", Message: fmt.Sprintf("is %d, expected 0 or 10 to 99", n)})
	}
	return faults
}

// DictationType returns the task for the register.
func DictationType() task.Type {
	return task.Define(task.Definition[DictationSettings]{
		Traits: task.Traits{
			Name: dictationName, About: "A customer asks for the word problems of a sheet one after the other; the sheet and its solution are hidden from the agent that answers.",
			Joint: true, Responses: task.Count{Least: 1, Most: 1},
			Fields: []task.Field{
				{Name: Sheet, About: "All word problems, a line each."},
				{Name: Solution, About: "Their answers, a line each."},
			},
			Solo:    "Questions, a line each:\n{{.Fields.sheet}}\nAnswer them in this order, with a line --- between the answers.",
			Prompts: task.Prompts{First: "Question: {{.Question}}", Later: "Question: {{.Question}}"},
		},
		Check: DictationSettings.check,
		Open: func(_ context.Context, s DictationSettings, _ task.Environment) (task.Task, error) {
			return NewDictation(s.options())
		},
		Items: func(_ context.Context, s DictationSettings) (*task.ItemScorer, error) {
			t, err := NewDictation(s.options())
			return &task.ItemScorer{Read: readSheet, Score: t.Score}, err
		},
	})
}

// readSheet reads a sheet: {"question": "…", "solution": "the answers, a line each"}.
func readSheet(item []byte, _ int) (task.Problem, error) {
	var r struct{ Question, Sheet, Solution string }
	if err := json.Unmarshal(item, &r); err != nil {
		return task.Problem{}, fmt.Errorf("read a sheet: %w", err)
	}
	if r.Solution == "" {
		return task.Problem{}, fmt.Errorf("a sheet has no solution: write for example %s", `{"question": "1 + 2", "solution": "3\n7"}`)
	}
	return task.Problem{Question: r.Question, Fields: map[string]string{Sheet: r.Sheet, Solution: r.Solution}}, nil
}
