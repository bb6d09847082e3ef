package fuse

import (
	_ "embed"
	"text/template"

	"parley/rl/learn"
)

// section declares the settings of learning from teachers. The student is one model, and alone: what is given is one text a problem.
func section() learn.Section {
	return learn.Section{Name: "fuse", Settings: Settings{}, Rules: []learn.Rule{
		{Keys: []string{"fuse.teachers", "algorithm"}, Broken: func(v learn.View) string {
			n := len(learn.SettingsIn[Settings](v.Settings).Teachers)
			return learn.If(v.Read && v.Algorithm.Name != Distillation && n < 2, "algorithm is %s, but there are %d teachers: at least 2 are fused", v.Algorithm.Name, n)
		}, Hint: "name two models that can be opened, such as [parley-base, parley-games]"},
		{Keys: []string{"algorithm", "team.agents", "team.turns"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && (v.Agents != 1 || v.Turns != 1), "algorithm %s trains one student, which answers once; the team has %d agents and %d turns", v.Algorithm.Name, v.Agents, v.Turns)
		}, Hint: "set team.protocol to single, team.agents and team.turns to 1"},
		{Keys: []string{"fuse.text"}, Broken: func(v learn.View) string {
			_, err := Template(learn.SettingsIn[Settings](v.Settings))
			return learn.If(v.Read && err != nil, "fuse.text is no template: %v", err)
		}, Hint: `write one over the problem, such as "\\boxed{ {{.Truth}} }"`},
	}, Idle: []learn.Idle{
		{Keys: []string{"fuse.lambda"}, When: func(v learn.View) string {
			return learn.If(learn.SettingsIn[Settings](v.Settings).Schedule == "dynamic", "fuse.schedule dynamic")
		}},
	}}
}

// Template is the template of the texts.
func Template(s Settings) (*template.Template, error) {
	return template.New("fuse.text").Option("missingkey=error").Parse(s.Text)
}

// Settings are those of learning from teachers (FuseLLM §3).
type Settings struct {
	Teachers    []string `yaml:"teachers" names:"model"`
	Text        string   `yaml:"text" default:"{{.Truth}}"`
	Align       string   `yaml:"align" default:"mined" oneof:"mined exact"`
	Fusion      string   `yaml:"fusion" default:"min_ce" oneof:"min_ce avg_ce"`
	Per         string   `yaml:"per" default:"token" oneof:"token char"`
	Schedule    string   `yaml:"schedule" default:"fixed" oneof:"fixed linear dynamic"`
	Lambda      float64  `yaml:"lambda" default:"0.9" min:"0" max:"1"`
	Top         int      `yaml:"top" default:"10" min:"1" max:"1000"`
	Temperature float64  `yaml:"temperature" default:"1" min:"0.01" max:"100"`
	Epochs      int      `yaml:"epochs" default:"1" min:"1" max:"100"`
	Minibatches int      `yaml:"minibatches" default:"1" min:"1"`
}

//go:embed fuse.md
var fuseTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "systems/fuse/fuse.md", fuseTexts }

// Objective says how the teachers are put together.
func (s Settings) Objective() Objective { return Objective{Fusion: s.Fusion, Per: s.Per} }

// Weight says how much the text itself counts.
func (s Settings) Weight() Schedule { return Schedule{Kind: s.Schedule, Value: s.Lambda} }

// Distil are the settings of learning from a trained team.
type Distil struct {
	Run  string `yaml:"run" names:"policy" default:""`
	Join string `yaml:"join" default:""`
}

//go:embed distil.md
var distilTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Distil) KeyTexts() (file, text string) { return "systems/fuse/distil.md", distilTexts }
