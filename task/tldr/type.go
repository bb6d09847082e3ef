package tldr

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/task"
	"parley/task/dataset"
)

// name is what recipes call the task.
const name = "tldr"

// Settings are what recipes may say.
type Settings struct {
	Path   string             `yaml:"path" names:"data" default:""`
	Made   bool               `yaml:"made" default:"false"`
	Scorer task.RewardVariant `yaml:"scorer" default:"standard" oneof:"standard robust compat" scores:"yes"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/tldr/keys.md", keyTexts }

// DataPath implements [task.DataReader].
func (s Settings) DataPath() string { return s.Path }

// Type returns the task for the register.
func Type() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: name, About: "Two summaries of an abstract or of a post, a concise one and a detailed one (magrpo.md 6.1).",
			Joint: true, Responses: task.Count{Least: 1, Most: 2}, Solo: solo,
			Fields: []task.Field{{Name: "title", About: "the title of the text"}},
		},
		Check: func(s Settings, _ task.Team) []task.Fault { return dataset.OneSource(s.Made, s.Path) },
		Open: func(ctx context.Context, s Settings, in task.Environment) (task.Task, error) {
			return New(ctx, Options{Path: in.Data(s.Path), Made: s.Made, Cache: in.Cache, Scorer: s.Scorer})
		},
		Items: func(_ context.Context, s Settings) (*task.ItemScorer, error) {
			t := &Task{variant: s.Scorer}
			return &task.ItemScorer{Read: task.FirstOf(Read), Score: t.Score}, nil
		},
		Gaming: &task.Gaming{Policies: policies(), Settings: func(v task.RewardVariant) any { return &Settings{Scorer: v} }},
	})
}

// policies are what is known to game the reward, as items and responses.
func policies() []task.Policy {
	item, err := json.Marshal(map[string]any{"paper_id": "gaming", "source": []string{GamedSource}})
	if err != nil {
		panic("internal error: " + err.Error())
	}
	var list []task.Policy
	for _, g := range Gaming {
		list = append(list, task.Policy{Name: g.Name, Item: item, Responses: g.Texts})
	}
	return list
}

// solo asks for two paragraphs, as the published single agent is asked (magrpo.md 6.3).
const solo = `Summarise the following text twice.

{{.Question}}

Rules:
- Write two paragraphs, and [PARAGRAPH_SPLIT] on a line between them.
- The first paragraph is a concise summary of one or two sentences.
- The second paragraph is two to three times as long, with many different words and a few transition words such as "furthermore" or "therefore".
- Keep to the facts of the text.
- Write plain text without headings or lists.`
