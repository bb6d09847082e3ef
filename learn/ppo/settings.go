package ppo

import (
	"cmp"

	"parley/loss"
)

// Settings are those of multi-agent PPO (MAPoRL §4).
type Settings struct {
	Epochs          int     `yaml:"epochs" default:"4" min:"1" max:"100" doc:"Passes over each rollout batch."`
	Minibatches     int     `yaml:"minibatches" default:"4" min:"1" doc:"Optimizer steps per pass and policy, on fresh random parts of the batch."`
	Clip            float64 `yaml:"clip" default:"0.2" min:"0.001" max:"10" doc:"Clip range of the probability ratio."`
	ClipHigh        float64 `yaml:"clip_high" default:"0" min:"0" max:"10" doc:"Upper clip range of the ratio, where it is not that of clip (DAPO's clip-higher); 0: it is."`
	Loss            string  `yaml:"loss" default:"ppo" oneof:"ppo ppo_two_sided clip_only cispo importance_sampling reinforce grpo gspo" doc:"Loss of a token, with rho the ratio of its probabilities, new over old, and A its advantage. ppo: -min(rho A, clip(rho) A). ppo_two_sided: the same with rho at most ratio_bound where A is negative. clip_only: -clip(rho) A. cispo: -A log pi, weighted with clip(rho). importance_sampling: -rho A. reinforce: -A log pi. grpo: ppo plus loss_kl times the KL estimate k3. gspo: ppo with the mean ratio and the mean advantage of the whole answer."`
	RatioBound      float64 `yaml:"ratio_bound" default:"3" min:"1" doc:"Greatest ratio of loss ppo_two_sided where the advantage is negative; at least 1 + the upper clip range."`
	LossKL          float64 `yaml:"loss_kl" default:"0.04" min:"0" doc:"Coefficient of the KL estimate exp(d) - d - 1, d = log pi_ref - log pi, in loss grpo. kl is another: that of the penalty in the rewards."`
	ValueClip       float64 `yaml:"value_clip" default:"0.2" min:"0" doc:"Clip range of the value; 0: off."`
	ValueHalf       bool    `yaml:"value_half" default:"true" doc:"Half the squared error in the value loss."`
	ValueCoef       float64 `yaml:"value_coef" default:"0.1" min:"0" doc:"Weight of the value loss."`
	ValueLR         float64 `yaml:"value_lr" default:"0" min:"0" doc:"Learning rate of value adapters; 0: that of the policies."`
	ValueInput      string  `yaml:"value_input" default:"answer" oneof:"answer history" doc:"What the critic reads: question and own answer, or the whole prompt and the answer."`
	KL              float64 `yaml:"kl" default:"0.0002" min:"0" doc:"Coefficient of the KL penalty in the token rewards."`
	KLForm          string  `yaml:"kl_form" default:"sampled" oneof:"sampled ref_policy_sampled ref_policy_exact" doc:"sampled: log pi - log pi_ref of the sampled token; ref_policy_sampled: u log u with u = pi_ref/pi; ref_policy_exact: KL(pi_ref, pi) over the whole vocabulary, which costs one more pass of the policy."`
	Terminal        string  `yaml:"terminal" default:"last" oneof:"last trl" doc:"Where an answer gets its reward: last: at its last token; trl: one position past it, where the answer is shorter than sampling.max_tokens."`
	Lambda          float64 `yaml:"lambda" default:"0.95" min:"0" max:"1" doc:"GAE lambda over tokens."`
	GammaToken      float64 `yaml:"gamma_token" default:"1" min:"0" max:"1" doc:"Discount over tokens."`
	Whiten          bool    `yaml:"whiten" default:"true" doc:"Whiten advantages over each (turn, agent) batch."`
	Schedule        string  `yaml:"schedule" default:"all" oneof:"all alternating" doc:"Which turns learn in an update: all that are trained, or one at a time, as the published code does (maporl.md 6)."`
	ScheduleInitial int     `yaml:"schedule_initial" default:"20" min:"0" doc:"schedule alternating: updates at the beginning in which turn 2 learns, ..."`
	ScheduleBlock   int     `yaml:"schedule_block" default:"40" min:"1" doc:"... and updates that each turn then learns in a row, the last turn first."`
}

// Objective is the loss of the policies' tokens: averaged within an answer, then over answers (MAPoRL §4).
func (s Settings) Objective() loss.TokenObjective {
	return loss.TokenObjective{
		Loss: loss.LossName(s.Loss), Reduction: loss.SeqMean, Clip: loss.Clip{Low: s.Clip, High: cmp.Or(s.ClipHigh, s.Clip)},
		Bound: s.RatioBound, KLCoef: s.LossKL,
	}
}
