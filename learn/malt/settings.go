package malt

// Settings are those of learning from trees of alternatives.
type Settings struct {
	Pool        string  `yaml:"pool" default:"run" oneof:"run update" doc:"run: updates only gather trees of the untrained team, and the last one learns from all of them. update: each update learns from its own."`
	Right       float64 `yaml:"right" default:"1" doc:"Reward from which the team's answer at a leaf counts as right."`
	Epochs      int     `yaml:"epochs" default:"1" min:"0" max:"100" doc:"Passes of supervised learning over the positive messages; 0: none."`
	Batch       int     `yaml:"batch" default:"8" min:"1" doc:"Messages, or pairs, of an optimizer step."`
	Preferences string  `yaml:"preferences" default:"later" oneof:"none later all" doc:"Who learns from pairs of siblings after that (DPO, its reference the policy as supervised learning left it). later: all but the first agent of the chain. all: everybody. none: nobody, which is supervised learning alone (STaR)."`
	PairEpochs  int     `yaml:"pair_epochs" default:"1" min:"1" max:"100" doc:"Passes over the pairs."`
	Beta        float64 `yaml:"beta" default:"0.2" min:"0.0001" doc:"Factor of the difference of log-probabilities in the loss of pairs."`
	PairRate    float64 `yaml:"pair_rate" default:"0.1" min:"0" doc:"Learning rate on pairs, as a multiple of the optimizer's."`
}
