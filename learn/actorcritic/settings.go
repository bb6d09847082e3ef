package actorcritic

// Settings are those of the critics of iac and maac (MAGRPO §5). Their turns are discounted by group.discount.
type Settings struct {
	Input  string  `yaml:"input" default:"v" oneof:"v q" doc:"What a critic reads: v the prompt of the turn, q also the answer. That of maac reads the prompts (and answers) of all agents, each between tags."`
	Head   string  `yaml:"head" default:"separate" oneof:"separate shared" doc:"separate: a critic has an adapter of its own. shared: the value head sits on the policy's own adapter, and its loss is clipped."`
	LR     float64 `yaml:"lr" default:"0" min:"0" doc:"Learning rate of separate critics; 0: that of the policies."`
	Coef   float64 `yaml:"coef" default:"0.6" min:"0" doc:"Weight of the value loss."`
	Clip   float64 `yaml:"clip" default:"0.2" min:"0" doc:"Clip range of a shared head's value."`
	Init   float64 `yaml:"init" default:"0.02" min:"0" doc:"Standard deviation of a value head's initial weights."`
	Hidden int     `yaml:"hidden" default:"0" min:"0" max:"65536" doc:"Width of a hidden layer of value heads, followed by tanh; 0: value heads are linear."`
	Whiten bool    `yaml:"whiten" default:"true" doc:"Whiten the temporal-difference errors of a drained buffer."`
}
