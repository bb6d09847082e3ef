package labelled

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"parley/internal/bounded"
	"parley/task"
)

// dataName is what recipes call the task.
const dataName = "data"

// DataSettings are what recipes may say.
//
// The task is that of a person's own questions: any data set whose rows have a question, and most often an answer.
//
//	task: {name: data, path: qa.jsonl}                                             # keys question and answer
//	task: {name: data, path: mmlu.csv, question: stem, answer: key, match: choice}
//
// What is asked is the text under one key, what is right that under another; all other keys of a row are fields of the problem, for prompts
// and rewards. How two answers are compared is a [Match] (match.go, choice.go). Files, splits and what is left out are as in
// the other tasks.
type DataSettings struct {
	Settings
	Question Key    `yaml:"question" default:"question"`
	Answer   Key    `yaml:"answer" default:"answer"`
	Choices  Key    `yaml:"choices" default:"choices"`
	Match    Match  `yaml:"match" default:"normalised" oneof:"exact normalised squad number choice none" scores:"yes"`
	Final    Final  `yaml:"final" default:"boxed" oneof:"boxed last-line last-number response" scores:"yes"`
	View     string `yaml:"view" default:""`
}

//go:embed data.md
var dataTexts string

// KeyTexts is the Markdown file that says what each key means.
func (DataSettings) KeyTexts() (file, text string) { return "task/labelled/data.md", dataTexts }

// A Key is one of a row's, exactly as it is written there.
type Key string

// A Final says which part of a response is its answer.
type Final string

const (
	Boxed      Final = "boxed"
	LastLine   Final = "last-line"
	LastNumber Final = "last-number"
	Response   Final = "response"
)

// QuestionKey is the key of a row under which its question is.
func (s DataSettings) QuestionKey() string { return string(s.Question) }

// Unboxed implements [task.Unboxed].
func (s DataSettings) Unboxed() string {
	if s.Final != Boxed {
		return "final is " + string(s.Final)
	}
	return ""
}

// Describe implements [task.Describer].
func (s DataSettings) Describe(t task.Traits) task.Traits {
	t.Choice = s.Match == Choice
	switch {
	case s.Match == None:
		t.Answers, t.Solvable = false, false
		t.Prompts.First = "{{.Question}}"
	case s.Final == LastLine:
		t.Prompts.First = "{{.Question}}\n\nThink step by step. Write the answer alone on the last line."
	case s.Final == Response:
		t.Prompts.First = "{{.Question}}\n\nWrite the answer alone."
	}
	return t
}

// check refuses settings that contradict each other.
func (s DataSettings) check(task.Team) []task.Fault {
	var faults []task.Fault
	if s.Question == s.Answer {
		faults = append(faults, task.Fault{Key: "answer", Message: "is " + string(s.Answer) + ", which is the key of the question too", Hint: "name the key of the right answer"})
	}
	if s.Final == LastNumber && s.Match != SameNumber {
		faults = append(faults, task.Fault{Key: "final", Message: "is last-number, which goes with match number alone", Hint: "set task.match to number"})
	}
	if _, err := bounded.ParsePrompt("view", s.View); err != nil {
		faults = append(faults, task.Fault{Key: "view", Message: err.Error(), Hint: "write it as prompts are written, such as {{.Question}}"})
	}
	return faults
}

// DataType returns the task for the register.
func DataType() task.Type {
	return task.Define(task.Definition[DataSettings]{
		Traits: task.Traits{
			Name: dataName, About: "Your own questions: any data set of rows with a question, and an answer.",
			Answers: true, Solvable: true, Responses: task.Count{Least: 1, Most: 1}, AnyField: true,
		},
		Check: DataSettings.check,
		Open: func(ctx context.Context, s DataSettings, in task.Environment) (task.Task, error) {
			return s.open(ctx, in)
		},
		Items: func(_ context.Context, s DataSettings) (*task.ItemScorer, error) { return s.items() },
	})
}

// form says how a row is read, where prompts show some of its fields.
func (s DataSettings) form(shown ...string) Format {
	s.View = "" // it reads no rows
	read := func(data []byte) (Item, error) {
		item, err := s.read(data)
		item.Whole = task.Whole(item.Problem, shown)
		return item, err
	}
	return Format{Name: dataName, Key: fmt.Sprintf("%+v", s), Read: read, Answer: s.parse}
}

// open opens the data set.
func (s DataSettings) open(ctx context.Context, in task.Environment) (task.Task, error) {
	loaded, err := Open(ctx, s.form(in.Shown...), s.Settings, false, in)
	if err != nil {
		return nil, err
	}
	if s.Match == None {
		return unanswered{loaded}, nil
	}
	return answered{loaded, s}, nil
}

// items scores single rows.
func (s DataSettings) items() (*task.ItemScorer, error) {
	if s.Match == None {
		return nil, errors.New("task data with match none has no right answers: score with the reward of your own, `parley reward FILE.py`")
	}
	form := s.form()
	return &task.ItemScorer{
		Read: func(record []byte, _ int) (task.Problem, error) {
			item, err := form.Read(record)
			return item.Problem, err
		},
		Score: func(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
			return task.ScoreAnswer(func(text string) (string, bool) { return s.answerTo(p, text) }, p, responses)
		},
	}, nil
}
