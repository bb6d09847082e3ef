package executor

import (
	"context"
	_ "embed"
	"time"

	"parley/task"
)

// TaskSettings are what recipes may say.
type TaskSettings struct {
	Path     string  `yaml:"path" names:"data" default:""`
	Seconds  float64 `yaml:"seconds" default:"10" min:"0.001" max:"86400" scores:"yes"`
	MemoryMB int     `yaml:"memory_mb" default:"512" min:"1" max:"1000000" scores:"yes"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (TaskSettings) KeyTexts() (file, text string) {
	return "systems/lessonl/executor/keys.md", keyTexts
}

// DataPath implements [task.DataReader].
func (s TaskSettings) DataPath() string { return s.Path }

// Speedup returns the task for the register.
func Speedup() task.Type {
	return task.Define(task.Definition[TaskSettings]{
		Traits: task.Traits{
			Name: taskName, About: "Programs in Python that shall do the same faster; processor time is measured beside the source. Needs bubblewrap and python3.",
			Joint: true, Solvable: true, Sandboxed: true, Responses: task.Count{Least: 1, Most: task.MostAgents},
			Fields:  []task.Field{{Name: FieldEntry, About: "the name of the function"}, {Name: FieldInputs, About: "Python that makes the inputs on which it is measured"}},
			Prompts: task.Prompts{First: askFaster}, Solo: askFaster,
		},
		Open: func(ctx context.Context, s TaskSettings, in task.Environment) (task.Task, error) {
			if in.NoScores {
				return openTask(ctx, nil, in.Data(s.Path), in.Cache)
			}
			e, err := s.executor(ctx)
			if err != nil {
				return nil, err
			}
			return openTask(ctx, e, in.Data(s.Path), in.Cache)
		},
		Items: func(ctx context.Context, s TaskSettings) (*task.ItemScorer, error) {
			e, err := s.executor(ctx)
			if err != nil {
				return nil, err
			}
			t := &Task{executor: e}
			return &task.ItemScorer{Read: task.FirstOf(ReadPrograms), Close: t.Close, Score: t.Score}, nil
		},
	})
}

func (s TaskSettings) executor(ctx context.Context) (*Executor, error) {
	return Open(ctx, Settings{Wall: time.Duration(s.Seconds * float64(time.Second)), Memory: int64(s.MemoryMB) << 20, Workers: 1})
}

const askFaster = `Make this Python program faster. Its function {{.Fields.entry}} has to give the same results.

{{.Question}}
Write the whole program with its imports, and no explanation.`
