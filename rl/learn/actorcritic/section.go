package actorcritic

import (
	_ "embed"
	"slices"

	"parley/rl/learn"
	"parley/rl/learn/group/words"
)

// section declares the settings of critics.
func section() learn.Section {
	return learn.Section{Name: "critic", Settings: Settings{}, Rules: rules(), Idle: idle()}
}

// unread are the keys of groups that say how completions are compared, which critics do instead.
func unread() []string {
	return slices.Concat([]string{
		"group.joint", "group.normalize", "group.reduction", "group.turn_weights", "group.cross_credit", "group.padding", "group.logprobs_at",
		"group.buffer_across_updates",
	}, words.DecisionKeys(), words.AlternativeKeys())
}

// of are the values of critic in the recipe that v shows.
func of(v learn.View) Settings { return learn.SettingsIn[Settings](v.Settings) }

// rules refuse critics that cannot learn, or that have no policy to sit on.
func rules() []learn.Rule {
	return []learn.Rule{
		// V = w·tanh(W h): where both are 0 at the beginning, so are both gradients.
		{Keys: []string{"critic.init", "critic.hidden"}, Broken: func(v learn.View) string {
			s := of(v)
			return learn.If(s.Hidden > 0 && s.Init == 0, "critic.init is 0, but critic.hidden is %d: a hidden layer of zeros learns nothing", s.Hidden)
		}, Hint: "leave critic.init out"},
		{Keys: []string{"critic.head", "algorithm"}, Broken: func(v learn.View) string {
			central := v.Algorithm.CriticsUnder(v.Settings) == learn.CriticsCentral
			return learn.If(central && of(v).Head != "separate", "critic.head is shared, but the central critic of algorithm %s belongs to no single policy", v.Algorithm.Name)
		}, Hint: "leave it out"},
	}
}

// idle are the keys of the other kind of head: a shared one moves at the rate of its policy, and the value of a separate one is not clipped.
func idle() []learn.Idle {
	under := func(head string) func(learn.View) string {
		return func(v learn.View) string { return learn.If(v.Read && of(v).Head == head, "critic.head %s", head) }
	}
	return []learn.Idle{
		{When: under("shared"), Keys: []string{"critic.lr"}},
		{When: under("separate"), Keys: []string{"critic.clip"}},
	}
}

// Settings are those of the critics of iac and maac (MAGRPO §5). Their turns are discounted by group.discount.
type Settings struct {
	Input  string  `yaml:"input" default:"v" oneof:"v q"`
	Head   string  `yaml:"head" default:"separate" oneof:"separate shared"`
	LR     float64 `yaml:"lr" default:"0" min:"0"`
	Coef   float64 `yaml:"coef" default:"0.6" min:"0"`
	Clip   float64 `yaml:"clip" default:"0.2" min:"0"`
	Init   float64 `yaml:"init" default:"0.02" min:"0"`
	Hidden int     `yaml:"hidden" default:"0" min:"0" max:"65536"`
	Whiten bool    `yaml:"whiten" default:"true"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "rl/learn/actorcritic/keys.md", keyTexts }
