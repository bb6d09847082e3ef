package textstats

import (
	"context"
	_ "embed"
	"errors"

	"parley/task"
	"parley/task/dataset"
)

// arxivName is what recipes call the task.
const arxivName = "arxiv"

// ArxivSettings are what recipes may say.
type ArxivSettings struct {
	Path          string             `yaml:"path" names:"data" default:""`
	Made          bool               `yaml:"made" default:"false"`
	Scorer        task.RewardVariant `yaml:"scorer" default:"standard" oneof:"standard robust compat" scores:"yes"`
	RewardVersion string             `yaml:"reward_version" default:"usual" oneof:"usual 2025-12" scores:"yes"`
}

//go:embed arxiv.md
var arxivTexts string

// KeyTexts is the Markdown file that says what each key means.
func (ArxivSettings) KeyTexts() (file, text string) { return "task/textstats/arxiv.md", arxivTexts }

// DataPath implements [task.DataReader].
func (s ArxivSettings) DataPath() string { return s.Path }

func (s ArxivSettings) era() Era {
	if s.RewardVersion == string(EraLatest) {
		return EraLatest
	}
	return EraPaper
}

// ArxivType returns the task for the register.
func ArxivType() task.Type {
	return task.Define(task.Definition[ArxivSettings]{
		Traits: task.Traits{
			Name: arxivName, About: "The background and the method of an introduction, from an abstract (magrpo.md 6.2).",
			Joint: true, Responses: task.Count{Least: 1, Most: 2}, Solo: arxivSolo,
			Fields: []task.Field{{Name: "title", About: "the title of the paper"}},
		},
		Check: func(s ArxivSettings, _ task.Team) []task.Fault { return dataset.OneSource(s.Made, s.Path) },
		Open: func(ctx context.Context, s ArxivSettings, in task.Environment) (task.Task, error) {
			return s.open(ctx, in)
		},
		Items: func(_ context.Context, s ArxivSettings) (*task.ItemScorer, error) {
			rubric, err := ArxivRubric(s.era())
			t := &Arxiv{rubric: rubric, variant: s.Scorer}
			return &task.ItemScorer{Read: task.FirstOf(ReadAbstracts), Score: t.Score}, err
		},
	})
}

func (s ArxivSettings) open(ctx context.Context, in task.Environment) (*Arxiv, error) {
	if s.Path == "" && !s.Made {
		return nil, errors.New("task arxiv needs task.path: a folder with train.jsonl and test.jsonl, records of abstract_text; or task.made: true")
	}
	return NewArxiv(ctx, ArxivOptions{Path: in.Data(s.Path), Made: s.Made, Cache: in.Cache, Era: s.era(), Scorer: s.Scorer})
}

// arxivSolo asks for two paragraphs, as the published single agent is asked (magrpo.md 6.3).
const arxivSolo = `Write an introduction to the paper with the following abstract.

{{.Question}}

Rules:
- Write two paragraphs of 128 to 256 words each, and [PARAGRAPH_SPLIT] on a line between them.
- The first paragraph is about the background and the motivation.
- The second paragraph is about the methodology and the implications.
- Do not repeat in one what the other covers.
- Write plain text.`
