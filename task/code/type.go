package code

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"time"

	"parley/task"
	"parley/task/code/gaming"
	"parley/task/dataset"
)

// Settings are what recipes may say.
type Settings struct {
	Path        string             `yaml:"path" names:"data" default:""`
	Made        bool               `yaml:"made" default:"false"`
	Scorer      task.RewardVariant `yaml:"scorer" default:"standard" oneof:"standard robust compat" scores:"yes"`
	Audit       bool               `yaml:"audit" default:"true"`
	BrokenItems string             `yaml:"broken_items" default:"keep" oneof:"keep drop"`
	Seconds     float64            `yaml:"seconds" default:"10" min:"0.001" max:"86400" scores:"yes"`
	MemoryMB    int                `yaml:"memory_mb" default:"512" min:"1" max:"1000000" scores:"yes"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/code/keys.md", keyTexts }

// DataPath implements [task.DataReader].
func (s Settings) DataPath() string { return s.Path }

// HumanEval is the task of the problems of that name.
func HumanEval() task.Type {
	return typeOf(humanEval, "HumanEval: a helper function and the asked function, in Python (magrpo.md 7).", nil)
}

// CoopHumanEval is the task of HumanEval's problems that call for a helper.
func CoopHumanEval() task.Type {
	return typeOf(coopHumanEval, "CoopHumanEval: a helper function and the asked function, in Python, of problems that call for a helper (magrpo.md 7).", func(s Settings) []string {
		if s.BrokenItems != "keep" || s.Made {
			return nil
		}
		return []string{"the tests of 7 items of " + coopHumanEval + " are known to be wrong (2, 12, 30, 44, 45, 50, 54): task.broken_items drop leaves them out"}
	})
}

// MBPP is the task of short programs from a sentence.
func MBPP() task.Type {
	return typeOf(mbpp, "MBPP: a helper function and the asked function, in Python, from a sentence (magrpo.md 7).", nil)
}

func typeOf(name, about string, warnings func(Settings) []string) task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: name, About: about + " Needs bubblewrap and python3.",
			Joint: true, Solvable: true, Sandboxed: true, Responses: task.Count{Least: 1, Most: task.MostAgents}, Solo: alone,
			Fields: []task.Field{{Name: FieldEntry, About: "the name of the asked function"}, {Name: FieldSignature, About: "its def line"}},
			Reports: []task.Report{
				{Name: "diagnostics", About: "what is missing, and which assertions fail", Sliced: true},
				{Name: "expert", About: "what an external model suggests"},
			},
		},
		Warnings: warnings,
		Check:    func(s Settings, _ task.Team) []task.Fault { return dataset.OneSource(s.Made, s.Path) },
		Open: func(ctx context.Context, s Settings, in task.Environment) (task.Task, error) {
			return s.open(ctx, name, in)
		},
		Items:  func(ctx context.Context, s Settings) (*task.ItemScorer, error) { return s.items(ctx, name) },
		Gaming: &task.Gaming{Policies: policies(), Settings: func(v task.RewardVariant) any { return &Settings{Scorer: v, Audit: true, Seconds: 1} }},
	})
}

// options are those that the settings mean.
func (s Settings) options(name string) Options {
	return Options{Name: name, Variant: s.Scorer, Made: s.Made, Drop: s.BrokenItems == "drop", Unaudited: !s.Audit, PerTest: time.Duration(s.Seconds * float64(time.Second)), Memory: int64(s.MemoryMB) << 20}
}

// open opens a task, with its sandboxes where something is scored.
func (s Settings) open(ctx context.Context, name string, in task.Environment) (*Task, error) {
	o := s.options(name)
	o.Path, o.Cache = in.Data(s.Path), in.Cache
	if in.NoScores {
		return New(ctx, o)
	}
	return inLab(ctx, o)
}

// inLab opens a task together with its sandboxes.
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

func (s Settings) items(ctx context.Context, name string) (*task.ItemScorer, error) {
	t, err := inLab(ctx, s.options(name))
	if err != nil {
		return nil, err
	}
	return &task.ItemScorer{Read: task.FirstOf(Read), Close: t.Close, Score: func(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
		r, err := t.ScoreItem(ctx, p, responses)
		score := r.Score()
		score.Flags = append(score.Flags, r.Foreign...)
		return score, err
	}}, nil
}

// policies are what is known to game the reward, as items and responses.
func policies() []task.Policy {
	var list []task.Policy
	for _, g := range gaming.All() {
		item, err := json.Marshal(map[string]any{"prompt": gaming.Prompt, "entry_point": "f", "test": g.Tests})
		if err != nil {
			panic("internal error: " + err.Error())
		}
		list = append(list, task.Policy{Name: g.Name, Item: item, Responses: []string{g.Aux, g.Main}})
	}
	return list
}

// alone asks for the whole function.
const alone = `Solve the following problem.

{{.Question}}
Rules:
- Write the function's Python code only: no explanation, no markdown, no tests.

{{.Fields.signature}}`
