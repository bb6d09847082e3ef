package labelled

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"

	"parley/internal/usererror"
	"parley/task"
	"parley/task/answer"
	"parley/task/dataset"
)

// Settings are what recipes may say about a data set.
type Settings struct {
	Path             string `yaml:"path" names:"data" default:""`
	Subset           string `yaml:"subset" default:""`
	BadLines         string `yaml:"bad_lines" default:"error" oneof:"error skip" measured:"as trained"`
	VerifierProblems int    `yaml:"verifier_problems" default:"0" min:"0" measured:"no"`
}

//go:embed labelled.md
var labelledTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/labelled/labelled.md", labelledTexts }

// NumberSettings are those of word problems.
type NumberSettings struct {
	Settings
	Answer string `yaml:"answer" default:"boxed" oneof:"boxed last-number" scores:"yes" measured:"as trained"`
}

//go:embed number.md
var numberTexts string

// KeyTexts is the Markdown file that says what each key means.
func (NumberSettings) KeyTexts() (file, text string) { return "task/labelled/number.md", numberTexts }

// DataPath implements [task.DataReader].
func (s Settings) DataPath() string { return s.Path }

// Unboxed implements [task.Unboxed].
func (s NumberSettings) Unboxed() string {
	if s.Answer == "last-number" {
		return "answer is " + s.Answer
	}
	return ""
}

// Type returns the task of a form for the register.
func Type(form Format) task.Type {
	traits := task.Traits{
		Name: form.Name, About: form.About, Answers: true, Solvable: true, Responses: task.Count{Least: 1, Most: 1}, Choice: form.Choice,
		Fields: form.Fields, Prompts: form.Prompts, DataSet: form.DataSet, Prepare: form.Prepare,
	}
	if form.Choice {
		return task.Define(task.Definition[Settings]{
			Traits: traits,
			Open: func(ctx context.Context, s Settings, in task.Environment) (task.Task, error) {
				return Open(ctx, form, s, false, in)
			},
			Items: func(context.Context, Settings) (*task.ItemScorer, error) { return form.items(false), nil },
		})
	}
	return task.Define(task.Definition[NumberSettings]{
		Traits: traits,
		Open: func(ctx context.Context, s NumberSettings, in task.Environment) (task.Task, error) {
			return Open(ctx, form, s.Settings, s.Unboxed() != "", in)
		},
		Items: func(_ context.Context, s NumberSettings) (*task.ItemScorer, error) {
			return form.items(s.Unboxed() != ""), nil
		},
	})
}

// Open opens a data set as a task of a form.
func Open(ctx context.Context, form Format, s Settings, lastNumber bool, in task.Environment) (*Task, error) {
	o := Options{All: in.All, Reads: fmt.Sprintf("%+v %q %t %q", s, form.Key, lastNumber, in.Shown), SkipBroken: s.BadLines == "skip", LastNumber: lastNumber, Verifier: s.VerifierProblems}
	if in.NoProblems {
		return &Task{format: o.reading(form), index: index{Splits: map[task.Split]*refs{task.Train: {}, task.Verifier: {}, task.Test: {}}}}, nil
	}
	path := cmp.Or(s.Path, form.DataSet)
	if path == "" {
		return nil, fmt.Errorf("task %s needs %s", form.Name, usererror.Word("task.path: the file or folder of its data set", `data=: rows such as [{"question": "…", "answer": "…"}, …], or the path of a file or folder`))
	}
	set, err := dataset.Open(path, in.Cache)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", form.Name, err)
	}
	if set, err = set.Subset(s.Subset); err != nil {
		return nil, fmt.Errorf("task.subset: %w", err)
	}
	files, err := set.Halves()
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", form.Name, err)
	}
	o.Train, o.Test = sources(files.Train), sources(files.Held)
	if len(files.Held) == 0 {
		o.Notes = append(o.Notes, dataset.OneInFive)
	}
	if note := files.Note(); note != "" {
		o.Notes = append(o.Notes, note)
	}
	return New(ctx, form, o)
}

func sources(files []dataset.File) []File {
	out := make([]File, len(files))
	for i, f := range files {
		out[i] = f
	}
	return out
}

// items scores single records of a form.
func (form Format) items(lastNumber bool) *task.ItemScorer {
	read := form.Answer
	if lastNumber {
		read = answer.LastNumber
	}
	return &task.ItemScorer{
		Read: func(record []byte, _ int) (task.Problem, error) {
			item, err := form.Read(record)
			return item.Problem, err
		},
		Score: func(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
			return task.ScoreAnswer(read, p, responses)
		},
	}
}
