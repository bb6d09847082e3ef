package bfcl

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"parley/task"
)

// name is what recipes call the task.
const name = "bfcl"

// Settings are what recipes may say.
type Settings struct {
	Path       string   `yaml:"path" names:"data" default:""`
	Categories []string `yaml:"categories" oneof:"parallel parallel_multiple live_parallel live_parallel_multiple lamps"`
	Share      string   `yaml:"share" default:"choose" oneof:"choose halves odd-even all"`
	Scorer     string   `yaml:"scorer" default:"published" oneof:"published robust" scores:"yes"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/bfcl/keys.md", keyTexts }

// DataPath implements [task.DataReader].
func (s Settings) DataPath() string { return s.Path }

// Type returns the task for the register.
func Type() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: name, About: "Tool calls that several agents make for one question, each its part (BFCL's parallel categories).",
			Joint: true, Responses: task.Count{Least: 1, Most: task.MostAgents}, Solo: solo,
			Fields: []task.Field{
				{Name: fieldFunctions, About: "the functions that may be called, one JSON object a line"},
				{Name: fieldShare, About: "which calls an agent writes, by `task.share`", PerAgent: true},
				{Name: fieldShare, About: "the same of all agents, one a line"},
			},
			Prompts: task.Prompts{First: first, Later: later},
		},
		Open: func(ctx context.Context, s Settings, in task.Environment) (task.Task, error) { return s.open(ctx, in) },
		Items: func(_ context.Context, s Settings) (*task.ItemScorer, error) {
			return &task.ItemScorer{Read: task.FirstOf(Read), Score: (&Task{scorer: s.Scorer}).Score}, nil
		},
		Gaming: &task.Gaming{Policies: policies(), Settings: func(v task.RewardVariant) any {
			return &Settings{Scorer: map[task.RewardVariant]string{task.Standard: published, task.Robust: robust}[v]}
		}},
	})
}

// share says in the fields of a problem which calls each of so many agents writes.
func (s Settings) share(p task.Problem, agents int) {
	var all []string
	for i := range agents {
		text := s.part(i, agents)
		p.Fields[fmt.Sprintf("%s_%d", fieldShare, i+1)] = text
		all = append(all, fmt.Sprintf("agent %d: %s", i+1, text))
	}
	p.Fields[fieldShare] = strings.Join(all, "\n")
}

// part is which calls agent i writes.
func (s Settings) part(i, agents int) string {
	switch {
	case s.Share == "all" || agents == 1:
		return "all calls"
	case s.Share == "odd-even":
		return fmt.Sprintf("call %d, call %d, call %d and so on, in the order in which they are asked for", i+1, i+1+agents, i+1+2*agents)
	case s.Share == "halves" && agents == 2:
		return []string{"the first half of the calls, in the order in which they are asked for, with the middle one", "the second half of the calls, in the order in which they are asked for, without the middle one"}[i]
	case s.Share == "halves":
		return fmt.Sprintf("part %d of %d equal parts of the calls, in the order in which they are asked for", i+1, agents)
	}
	return "the calls that you are surest of, and the other agents write the others"
}

const rules = `Write function calls only, one a line, as name(argument=value), or [] if there is none for you. Write no explanation.`

const first = `You are agent {{.Agent}} of a team that answers a request with function calls. Nobody sees the others' calls; all calls are made together.

Functions, one a line:
{{.Fields.functions}}

Request: {{.Question}}

You write: {{index .Fields (printf "share_%d" .Agent)}}.
` + rules

const later = `Check your calls and write all of yours again, improved where that is needed.
` + rules

// solo asks for all calls.
const solo = `Answer a request with function calls.

Functions, one a line:
{{.Fields.functions}}

Request: {{.Question}}

` + rules
