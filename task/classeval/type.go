package classeval

import (
	"context"
	_ "embed"
	"errors"

	"parley/task"
	"parley/task/dataset"
)

// name is what recipes call the task.
const name = "classeval"

// Settings are what recipes may say.
type Settings struct {
	Path          string             `yaml:"path" names:"data" default:""`
	Made          bool               `yaml:"made" default:"false"`
	RewardVersion string             `yaml:"reward_version" default:"usual" oneof:"usual 2025-10" scores:"yes"`
	Scorer        task.RewardVariant `yaml:"scorer" default:"standard" oneof:"standard robust" scores:"yes"`
	BrokenItems   string             `yaml:"broken_items" default:"keep" oneof:"keep drop"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/classeval/keys.md", keyTexts }

// DataPath implements [task.DataReader].
func (s Settings) DataPath() string { return s.Path }

// options are those that the settings mean, without problems and sandboxes.
func (s Settings) options() Options {
	o := Options{Made: s.Made, Drop: s.BrokenItems == "drop", Variant: s.Scorer}
	if s.RewardVersion == string(October2025) {
		o.Generation = October2025
	}
	return o
}

// Type returns the task for the register.
func Type() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: name, About: "ClassEval: the methods of a Python class, shared out among the agents (magrpo.md 8). Needs bubblewrap and python3.",
			Joint: true, Sandboxed: true, Responses: task.Count{Least: 1, Most: task.MostAgents}, Solo: solo,
			Fields: []task.Field{
				{Name: FieldClass, About: "the name of the class"},
				{Name: FieldMethods, About: "the names of all its methods"},
				{Name: FieldFirst, About: "those assigned to the first agent of a pair"},
				{Name: FieldSecond, About: "those assigned to the second"},
			},
			Reports: []task.Report{{Name: "diagnostics", About: "which methods are missing or twice there, and how unit tests fail", Sliced: true}},
		},
		Check:  func(s Settings, _ task.Team) []task.Fault { return dataset.OneSource(s.Made, s.Path) },
		Open:   func(ctx context.Context, s Settings, in task.Environment) (task.Task, error) { return s.open(ctx, in) },
		Gaming: &task.Gaming{Policies: policies(), Settings: func(v task.RewardVariant) any { return &Settings{Scorer: v} }},
		Items: func(ctx context.Context, s Settings) (*task.ItemScorer, error) {
			t, err := inLab(ctx, s.options())
			if err != nil {
				return nil, err
			}
			return &task.ItemScorer{Read: task.FirstOf(Read), Score: t.Score, Close: t.Close}, nil
		},
	})
}

// open opens the task from a data set or from the binary, with its sandboxes where something is scored.
func (s Settings) open(ctx context.Context, in task.Environment) (*Task, error) {
	o := s.options()
	o.Path, o.Cache = in.Data(s.Path), in.Cache
	if in.NoScores {
		return New(ctx, o)
	}
	return inLab(ctx, o)
}

// inLab opens the task together with its sandboxes.
func inLab(ctx context.Context, o Options) (*Task, error) {
	sandboxes, err := OpenSandboxes(ctx, 0)
	if err != nil {
		return nil, err
	}
	o.Sandboxes = sandboxes
	t, err := New(ctx, o)
	if err != nil {
		return nil, errors.Join(err, sandboxes.Close())
	}
	return t, nil
}

// solo asks for all methods of a class.
const solo = `Complete a Python class. Its skeleton:

{{.Question}}

Your methods: {{.Fields.methods}}; __init__ is given.
Write their definitions only, with their decorators: no class statement, no other methods, no tests, no explanation.`
