package alone

import "parley/learn"

// Read are the settings of ReAd. One update plays training.problems episodes in open loop: the data of the critic.
type Read struct {
	Plan      string  `yaml:"plan" default:"S" oneof:"S J" doc:"S: robot after robot, each shown what the earlier ones do and scored by its own advantage. J: one plan for all, scored by the joint advantage."`
	Pays      float64 `yaml:"pays" default:"1" doc:"What an episode earns that has succeeded."`
	Critic    string  `yaml:"critic" default:"table" oneof:"table network" doc:"table: the mean return of every prefix of actions. network: one hidden layer over words of the state and actions, missing robots masked."`
	Hidden    int     `yaml:"hidden" default:"256" min:"1" max:"4096" doc:"critic network: units of its hidden layer."`
	Rate      float64 `yaml:"rate" default:"0.001" min:"0.0000001" doc:"critic network: learning rate of Adam at first; it falls to 0."`
	Batch     int     `yaml:"batch" default:"32" min:"1" doc:"critic network: prefixes of a step."`
	Steps     int     `yaml:"steps" default:"20000" min:"1" doc:"critic network: steps."`
	Discount  float64 `yaml:"discount" default:"0.9" min:"0.0001" max:"1" doc:"Discount of the returns that the critic learns."`
	Threshold float64 `yaml:"threshold" default:"0" min:"0" doc:"An action is done iff its score is above it."`
	Schedule  string  `yaml:"schedule" default:"per_robot" oneof:"per_robot paper" doc:"How the threshold falls. per_robot: by half after each refusal of a robot in a step. paper: by half at each comparison and doubled at each step, never set back."`
	Tries     int     `yaml:"tries" default:"10" min:"1" max:"100" doc:"Most proposals of a robot in a step; after the last one the best-scored is done."`
	Votes     int     `yaml:"votes" default:"5" min:"1" max:"100" doc:"Plans of the baseline majority-vote."`
	Repeats   int     `yaml:"repeats" default:"1" min:"1" max:"1000" doc:"How often each held-out problem is played."`
}

// ReAd is the algorithm's entry in the register.
func ReAd() learn.Algorithm {
	a := entry(learn.Algorithm{
		Name: "read", About: "ReAd: a frozen planner is asked again until a learned critic agrees; the critic alone is trained",
		Sections: []learn.Section{{
			Name: "read", Settings: Read{},
			Rules: []learn.Rule{{Keys: []string{"algorithm", "team.agents"}, Broken: inWorld, Hint: "write the robots of the world by name"}},
			Idle: []learn.Idle{{When: func(v learn.View) string {
				return learn.If(learn.SettingsIn[Read](v.Settings).Critic == "table", "read.critic is table")
			}, Keys: []string{"read.hidden", "read.rate", "read.batch", "read.steps"}}},
		}},
		Steps: func(learn.Outline) int { return 0 },
	})
	a.CriticOnly = true
	return a
}
