package speedup

import (
	"context"
	_ "embed"
	"time"

	"parley/systems/lessonl/executor"
	"parley/task"
)

// Settings are what recipes may say.
type Settings struct {
	Path     string  `yaml:"path" names:"data" default:""`
	Seconds  float64 `yaml:"seconds" default:"10" min:"0.001" max:"86400" scores:"yes"`
	MemoryMB int     `yaml:"memory_mb" default:"512" min:"1" max:"1000000" scores:"yes"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "systems/lessonl/speedup/keys.md", keyTexts }

// DataPath implements [task.DataReader].
func (s Settings) DataPath() string { return s.Path }

// Type returns the task for the register.
func Type() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: name, About: "Programs in Python that shall do the same faster; processor time is measured beside the source. Needs bubblewrap and python3.",
			Joint: true, Solvable: true, Sandboxed: true, Responses: task.Count{Least: 1, Most: task.MostAgents},
			Fields:  []task.Field{{Name: FieldEntry, About: "the name of the function"}, {Name: FieldInputs, About: "Python that makes the inputs on which it is measured"}},
			Prompts: task.Prompts{First: ask}, Solo: ask,
		},
		Open: func(ctx context.Context, s Settings, in task.Environment) (task.Task, error) {
			if in.NoScores {
				return open(ctx, nil, in.Data(s.Path), in.Cache)
			}
			e, err := s.executor(ctx)
			if err != nil {
				return nil, err
			}
			return open(ctx, e, in.Data(s.Path), in.Cache)
		},
		Items: func(ctx context.Context, s Settings) (*task.ItemScorer, error) {
			e, err := s.executor(ctx)
			if err != nil {
				return nil, err
			}
			t := &Task{executor: e}
			return &task.ItemScorer{Read: task.FirstOf(Read), Close: t.Close, Score: t.Score}, nil
		},
	})
}

func (s Settings) executor(ctx context.Context) (*executor.Executor, error) {
	return executor.Open(ctx, executor.Settings{Wall: time.Duration(s.Seconds * float64(time.Second)), Memory: int64(s.MemoryMB) << 20, Workers: 1})
}

const ask = `Make this Python program faster. Its function {{.Fields.entry}} has to give the same results.

{{.Question}}
Write the whole program with its imports, and no explanation.`
