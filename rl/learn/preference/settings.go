package preference

import _ "embed"

// Settings say how pairs of joint responses come about and what madpo learns from them (MAGRPO §5).
type Settings struct {
	Candidates    int     `yaml:"candidates" default:"80" min:"2" max:"1000"`
	Pairs         int     `yaml:"pairs" default:"16" min:"1"`
	Choose        string  `yaml:"choose" default:"gap" oneof:"gap random all"`
	Loss          string  `yaml:"loss" default:"madpo" oneof:"madpo dpo ipo"`
	Smoothing     float64 `yaml:"smoothing" default:"0" min:"0" max:"0.5"`
	Beta          float64 `yaml:"beta" default:"0.1" min:"0.0001"`
	Reference     bool    `yaml:"reference" default:"false"`
	Batch         int     `yaml:"batch" default:"16" min:"1"`
	Iterations    int     `yaml:"iterations" default:"1" min:"1" max:"20"`
	Comparator    string  `yaml:"comparator" default:"current" oneof:"current checkpoint model server"`
	Server        Server  `yaml:"server"`
	Central       bool    `yaml:"central" default:"false"`
	Model         string  `yaml:"model" names:"model" default:""`
	CheckpointAge int     `yaml:"checkpoint_age" default:"1" min:"1"`
	Replay        string  `yaml:"replay" default:"current" oneof:"current nearest all decay"`
	Nearest       int     `yaml:"nearest" default:"1" min:"1"`
	Decay         float64 `yaml:"decay" default:"0.5" min:"0" max:"1"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "rl/learn/preference/keys.md", keyTexts }

// Server is the comparator behind a server of OpenAI's protocol, or of Anthropic's. Its texts are encoded for the bases of the team, as those of another base are: pairs
// need the log-probabilities that the team gives to a response, not those of who wrote it (MAGRPO §5).
type Server struct {
	URL     string  `yaml:"url" reach:"asks" default:""`
	Model   string  `yaml:"model" default:""`
	KeyEnv  string  `yaml:"key_env" reach:"tells" default:""`
	Form    string  `yaml:"form" default:"openai" oneof:"openai anthropic"`
	Seconds float64 `yaml:"seconds" default:"60" min:"0.01"`
	Retries int     `yaml:"retries" default:"2" min:"0" max:"20"`
}

// Iteration is the part of a run of some updates that an update belongs to, both counted from 0.
func (s Settings) Iteration(update, updates int) int {
	return min(update*s.Iterations/max(updates, 1), s.Iterations-1)
}
