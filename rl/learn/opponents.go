package learn

import _ "embed"

// Opponents let agents play against earlier checkpoints of their policies, so that what is learned does not chase its own last move: in a
// share of the episodes of an update the part of one agent is played by a snapshot, from which nothing is learned.
type Opponents struct {
	Pool  int     `yaml:"pool" default:"4" min:"1" max:"64"`
	Every int     `yaml:"every" default:"10" min:"1"`
	Share float64 `yaml:"share" default:"0" min:"0" max:"1"`
}

//go:embed opponents.md
var opponentsTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Opponents) KeyTexts() (file, text string) { return "rl/learn/opponents.md", opponentsTexts }

// OpponentsSection declares the settings of opponents. Algorithms that compare whole episodes have it.
func OpponentsSection() Section {
	of := func(v View) Opponents { return SettingsIn[Opponents](v.Settings) }
	plays := func(v View) bool { return v.Read && of(v).Share > 0 }
	return Section{
		Name: "opponents", Settings: Opponents{},
		Rules: []Rule{
			// A tree has one opponent at a node and another at the next only if its branches are told apart: whole episodes are.
			{Keys: []string{"opponents.share", "group.rollout"}, Broken: func(v View) string {
				g := SettingsIn[Group](v.Settings)
				return If(plays(v) && g.Rollout != "episodes", "opponents.share is %g, but group.rollout is %s: an opponent plays a whole episode", of(v).Share, g.Rollout)
			}, Hint: "set group.rollout to episodes"},
			{Keys: []string{"opponents.share", "team.agents", "policies.frozen"}, Broken: func(v View) string {
				return If(plays(v) && v.Trained < 2, "opponents.share is %g, but %d of the agents is trained: beside an opponent somebody has to learn", of(v).Share, v.Trained)
			}, Hint: "leave opponents out, or let two agents learn"},
		},
		Warnings: []Warning{{
			When: func(v View) bool { return plays(v) && of(v).Every >= v.Updates },
			Text: "opponents.every is at least training.updates: no snapshot is taken before the end, and opponents are the untrained policies alone",
		}},
		Idle: []Idle{{When: func(v View) string {
			return If(v.Read && of(v).Share == 0, "opponents.share 0")
		}, Keys: []string{"opponents.pool", "opponents.every"}}},
	}
}
