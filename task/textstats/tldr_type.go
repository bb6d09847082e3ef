package textstats

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/task"
	"parley/task/dataset"
)

// tldrName is what recipes call the task.
const tldrName = "tldr"

// TLDRSettings are what recipes may say.
type TLDRSettings struct {
	Path   string             `yaml:"path" names:"data" default:""`
	Made   bool               `yaml:"made" default:"false"`
	Scorer task.RewardVariant `yaml:"scorer" default:"standard" oneof:"standard robust compat" scores:"yes"`
}

//go:embed tldr.md
var tldrTexts string

// KeyTexts is the Markdown file that says what each key means.
func (TLDRSettings) KeyTexts() (file, text string) { return "task/textstats/tldr.md", tldrTexts }

// DataPath implements [task.DataReader].
func (s TLDRSettings) DataPath() string { return s.Path }

// TLDRType returns the task for the register.
func TLDRType() task.Type {
	return task.Define(task.Definition[TLDRSettings]{
		Traits: task.Traits{
			Name: tldrName, About: "Two summaries of an abstract or of a post, a concise one and a detailed one (magrpo.md 6.1).",
			Joint: true, Responses: task.Count{Least: 1, Most: 2}, Solo: tldrSolo,
			Fields: []task.Field{{Name: "title", About: "the title of the text"}},
		},
		Check: func(s TLDRSettings, _ task.Team) []task.Fault { return dataset.OneSource(s.Made, s.Path) },
		Open: func(ctx context.Context, s TLDRSettings, in task.Environment) (task.Task, error) {
			return NewTLDR(ctx, TLDROptions{Path: in.Data(s.Path), Made: s.Made, Cache: in.Cache, Scorer: s.Scorer})
		},
		Items: func(_ context.Context, s TLDRSettings) (*task.ItemScorer, error) {
			t := &TLDR{variant: s.Scorer}
			return &task.ItemScorer{Read: task.FirstOf(ReadPosts), Score: t.Score}, nil
		},
		Gaming: &task.Gaming{Policies: policies(), Settings: func(v task.RewardVariant) any { return &TLDRSettings{Scorer: v} }},
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

// tldrSolo asks for two paragraphs, as the published single agent is asked (magrpo.md 6.3).
const tldrSolo = `Summarise the following text twice.

{{.Question}}

Rules:
- Write two paragraphs, and [PARAGRAPH_SPLIT] on a line between them.
- The first paragraph is a concise summary of one or two sentences.
- The second paragraph is two to three times as long, with many different words and a few transition words such as "furthermore" or "therefore".
- Keep to the facts of the text.
- Write plain text without headings or lists.`
