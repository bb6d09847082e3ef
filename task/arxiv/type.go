package arxiv

import (
	"context"
	_ "embed"
	"errors"

	"parley/task"
	"parley/task/dataset"
)

// name is what recipes call the task.
const name = "arxiv"

// Settings are what recipes may say.
type Settings struct {
	Path          string             `yaml:"path" names:"data" default:""`
	Made          bool               `yaml:"made" default:"false"`
	Scorer        task.RewardVariant `yaml:"scorer" default:"standard" oneof:"standard robust compat" scores:"yes"`
	RewardVersion string             `yaml:"reward_version" default:"usual" oneof:"usual 2025-12" scores:"yes"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/arxiv/keys.md", keyTexts }

// DataPath implements [task.DataReader].
func (s Settings) DataPath() string { return s.Path }

func (s Settings) era() Era {
	if s.RewardVersion == string(EraLatest) {
		return EraLatest
	}
	return EraPaper
}

// Type returns the task for the register.
func Type() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: name, About: "The background and the method of an introduction, from an abstract (magrpo.md 6.2).",
			Joint: true, Responses: task.Count{Least: 1, Most: 2}, Solo: solo,
			Fields: []task.Field{{Name: "title", About: "the title of the paper"}},
		},
		Check: func(s Settings, _ task.Team) []task.Fault { return dataset.OneSource(s.Made, s.Path) },
		Open:  func(ctx context.Context, s Settings, in task.Environment) (task.Task, error) { return s.open(ctx, in) },
		Items: func(_ context.Context, s Settings) (*task.ItemScorer, error) {
			rubric, err := Rubric(s.era())
			t := &Task{rubric: rubric, variant: s.Scorer}
			return &task.ItemScorer{Read: task.FirstOf(Read), Score: t.Score}, err
		},
	})
}

func (s Settings) open(ctx context.Context, in task.Environment) (*Task, error) {
	if s.Path == "" && !s.Made {
		return nil, errors.New("task arxiv needs task.path: a folder with train.jsonl and test.jsonl, records of abstract_text; or task.made: true")
	}
	return New(ctx, Options{Path: in.Data(s.Path), Made: s.Made, Cache: in.Cache, Era: s.era(), Scorer: s.Scorer})
}

// solo asks for two paragraphs, as the published single agent is asked (magrpo.md 6.3).
const solo = `Write an introduction to the paper with the following abstract.

{{.Question}}

Rules:
- Write two paragraphs of 128 to 256 words each, and [PARAGRAPH_SPLIT] on a line between them.
- The first paragraph is about the background and the motivation.
- The second paragraph is about the methodology and the implications.
- Do not repeat in one what the other covers.
- Write plain text.`
