package supervised

// Settings are those of supervised learning from the untrained team's best debates (MAPoRL §4.7).
type Settings struct {
	Keep        float64 `yaml:"keep" default:"0.1" min:"0.0001" max:"1" doc:"Share of the pool's debates that is learned from: the best by the mean score of their last answers, of those that vote for the right answer and have no answer with a penalty."`
	Pool        string  `yaml:"pool" default:"update" oneof:"update run" doc:"update: each update learns from the best of its own debates. run: updates only gather debates, and the last one learns from the best of all."`
	Epochs      int     `yaml:"epochs" default:"1" min:"1" max:"100" doc:"Passes over the answers of these debates."`
	Minibatches int     `yaml:"minibatches" default:"1" min:"1" doc:"Optimizer steps per pass and policy."`
}
