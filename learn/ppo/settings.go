package ppo

// Settings are those of multi-agent PPO (MAPoRL §4).
type Settings struct {
	Epochs      int     `yaml:"epochs" default:"4" min:"1" max:"100" doc:"Passes over each rollout batch."`
	Minibatches int     `yaml:"minibatches" default:"4" min:"1" doc:"Optimizer steps per pass and policy, on fresh random parts of the batch."`
	Clip        float64 `yaml:"clip" default:"0.2" min:"0.001" max:"10" doc:"Clip range of the probability ratio."`
	ValueClip   float64 `yaml:"value_clip" default:"0.2" min:"0" doc:"Clip range of the value; 0: off."`
	ValueHalf   bool    `yaml:"value_half" default:"true" doc:"Half the squared error in the value loss."`
	ValueCoef   float64 `yaml:"value_coef" default:"0.1" min:"0" doc:"Weight of the value loss."`
	ValueLR     float64 `yaml:"value_lr" default:"0" min:"0" doc:"Learning rate of value adapters; 0: that of the policies."`
	ValueInput  string  `yaml:"value_input" default:"answer" oneof:"answer history" doc:"What the critic reads: question and own answer, or the whole prompt and the answer."`
	KL          float64 `yaml:"kl" default:"0.0002" min:"0" doc:"Coefficient of the KL penalty in the token rewards."`
	KLForm      string  `yaml:"kl_form" default:"sampled" oneof:"sampled ref_policy_sampled ref_policy_exact" doc:"sampled: log pi - log pi_ref of the sampled token; ref_policy_sampled: u log u with u = pi_ref/pi; ref_policy_exact: KL(pi_ref, pi) over the whole vocabulary, which costs one more pass of the policy."`
	Terminal    string  `yaml:"terminal" default:"last" oneof:"last trl" doc:"Where an answer gets its reward: last: at its last token; trl: one position past it, where the answer is shorter than sampling.max_tokens."`
	Lambda      float64 `yaml:"lambda" default:"0.95" min:"0" max:"1" doc:"GAE lambda over tokens."`
	GammaToken  float64 `yaml:"gamma_token" default:"1" min:"0" max:"1" doc:"Discount over tokens."`
	Whiten      bool    `yaml:"whiten" default:"true" doc:"Whiten advantages over each (turn, agent) batch."`
	Schedule    string  `yaml:"schedule" default:"all" oneof:"all alternating" doc:"Which turns learn in an update (maporl.md 6)."`
}
