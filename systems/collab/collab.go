// Package collab is the algorithm of teams whose agents write one text together, token by token (Collab, arXiv 2503.21720). Nothing is trained: the
// settings say how the next token is chosen. Package decode has the rule, package train/together the teams.
package collab

import (
	_ "embed"
	"errors"

	"parley/rl/learn"
)

// Name is that of the algorithm.
const Name = "collab"

// Settings say how tokens are chosen (§4). The defaults are the paper's.
type Settings struct {
	Candidates int      `yaml:"candidates" default:"10" min:"1" max:"1000"`
	Rollouts   int      `yaml:"rollouts" default:"1" min:"1" max:"256"`
	Alpha      float64  `yaml:"alpha" default:"1" min:"0" max:"1000000"`
	Adapters   []string `yaml:"adapters" names:"policy"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "systems/collab/keys.md", keyTexts }

// Algorithm is the entry in the register.
func Algorithm() learn.Algorithm {
	return learn.Algorithm{
		Name: Name, About: "Collab: agents of one vocabulary write one text, token by token, by a reward of whole texts; nothing is trained",
		Kind: learn.Debates, Episodes: learn.FromDecoding, New: refuse,
		Sections: []learn.Section{{Name: "collab", Settings: Settings{}, Rules: rules()}},
	}
}

// rules hold the team to agents who are asked once, all at the same time: each writes on under its own prompt.
func rules() []learn.Rule {
	return []learn.Rule{
		{Keys: []string{"algorithm", "team.turns"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && (v.Turns != 1 || v.Workflow || v.Acts || v.Agents > 1 && !v.Together), "algorithm collab writes one text, but the agents of this team do not speak all at once in one turn")
		}, Hint: "set team.protocol to parallel and team.turns to 1"},
		{Keys: []string{"collab.adapters", "team.agents"}, Broken: func(v learn.View) string {
			n := len(learn.SettingsIn[Settings](v.Settings).Adapters)
			return learn.If(v.Read && n > 0 && n != v.Agents, "collab.adapters has %d folders, expected one for each of %d agents", n, v.Agents)
		}, Hint: "write an empty text for an agent that is its base"},
	}
}

func refuse(learn.Config) (learn.Learner, error) {
	return nil, errors.New("internal error: a learner was made for a team that is not trained")
}
