package fuse

import (
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
			_, err := Text(learn.SettingsIn[Settings](v.Settings))
			return learn.If(v.Read && err != nil, "fuse.text is no template: %v", err)
		}, Hint: `write one over the problem, such as "\\boxed{ {{.Truth}} }"`},
	}, Idle: []learn.Idle{
		{Keys: []string{"fuse.lambda"}, When: func(v learn.View) string {
			return learn.If(learn.SettingsIn[Settings](v.Settings).Schedule == "dynamic", "fuse.schedule dynamic")
		}},
	}}
}

// Text is the template of the texts.
func Text(s Settings) (*template.Template, error) {
	return template.New("fuse.text").Option("missingkey=error").Parse(s.Text)
}
