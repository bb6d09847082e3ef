package preference

// Settings say how pairs of joint responses come about and what madpo learns from them (MAGRPO §5).
type Settings struct {
	Candidates    int     `yaml:"candidates" default:"80" min:"2" max:"1000" doc:"Joint candidates sampled for a problem."`
	Pairs         int     `yaml:"pairs" default:"16" min:"1" doc:"Pairs kept of a problem, of all with different rewards; choose says which."`
	Choose        string  `yaml:"choose" default:"gap" oneof:"gap random all" doc:"The pairs with the greatest gap in reward, random ones, or all."`
	Loss          string  `yaml:"loss" default:"madpo" oneof:"madpo dpo ipo" doc:"madpo: -log sigma(beta times the sum over agents of the differences D of their log-probabilities, better less worse). dpo: -log sigma(beta D) of each agent by itself. ipo: (D - 1/(2 beta))^2 of each agent, D being one of means over tokens."`
	Smoothing     float64 `yaml:"smoothing" default:"0" min:"0" max:"0.5" doc:"loss dpo: share of the pairs that are taken to be ordered wrongly."`
	Beta          float64 `yaml:"beta" default:"0.1" min:"0.0001" doc:"Factor of the difference of log-probabilities in the loss."`
	Reference     bool    `yaml:"reference" default:"false" doc:"Measure log-probabilities relative to the untrained base, as DPO does."`
	Batch         int     `yaml:"batch" default:"16" min:"1" doc:"Pairs per optimizer step."`
	Iterations    int     `yaml:"iterations" default:"1" min:"1" max:"20" doc:"Parts of the run's updates. Candidates of a part come from the team as it was at its beginning; of the first, from the untrained team."`
	Comparator    string  `yaml:"comparator" default:"current" oneof:"current checkpoint model server" doc:"Who else writes candidates. current: nobody. checkpoint, model and server: half of them are by the team of an earlier iteration, or by another base model for every agent, or by a model behind a server for every agent, and pairs compare them with the current team's."`
	Server        Server  `yaml:"server"`
	Central       bool    `yaml:"central" default:"false" doc:"The comparator writes for all agents at once, each between tags, in the room that they have together, as with protocol central. A text without a block for every agent is no candidate, and is counted as dropped. All agents have to be models."`
	Model         string  `yaml:"model" names:"model" default:"" doc:"The base of comparator model. Its texts are encoded for the bases of the team."`
	CheckpointAge int     `yaml:"checkpoint_age" default:"1" min:"1" doc:"How many iterations earlier the checkpoint is; before the first is the untrained team."`
	Replay        string  `yaml:"replay" default:"current" oneof:"current nearest all decay" doc:"Whose pairs an iteration learns from: its own; also those of the nearest earlier iterations; of all; of all, with decay^age as weight."`
	Nearest       int     `yaml:"nearest" default:"1" min:"1" doc:"Earlier iterations that replay nearest takes."`
	Decay         float64 `yaml:"decay" default:"0.5" min:"0" max:"1" doc:"Weight per iteration of age in replay decay."`
}

// Server is the comparator behind a server of OpenAI's protocol, or of Anthropic's. Its texts are encoded for the bases of the team, as those of another base are: pairs
// need the log-probabilities that the team gives to a response, not those of who wrote it (MAGRPO §5).
type Server struct {
	URL     string  `yaml:"url" reach:"asks" default:"" doc:"Such as http://127.0.0.1:8000/v1."`
	Model   string  `yaml:"model" default:"" doc:"The model's name there."`
	KeyEnv  string  `yaml:"key_env" reach:"tells" default:"" doc:"The environment variable that holds the key; empty: no key is sent."`
	Form    string  `yaml:"form" default:"openai" oneof:"openai anthropic" doc:"What the server speaks: chat completions of OpenAI's protocol, or messages of Anthropic's."`
	Seconds float64 `yaml:"seconds" default:"60" min:"0.01" doc:"Longest wait for a candidate."`
	Retries int     `yaml:"retries" default:"2" min:"0" max:"20" doc:"Further tries."`
}

// Iteration is the part of a run of some updates that an update belongs to, both counted from 0.
func (s Settings) Iteration(update, updates int) int {
	return min(update*s.Iterations/max(updates, 1), s.Iterations-1)
}
