package ppo

import (
	"cmp"
	_ "embed"

	"parley/rl/loss"
)

// Settings are those of multi-agent PPO (MAPoRL §4).
type Settings struct {
	Epochs          int     `yaml:"epochs" default:"4" min:"1" max:"100"`
	Minibatches     int     `yaml:"minibatches" default:"4" min:"1"`
	Clip            float64 `yaml:"clip" default:"0.2" min:"0.001" max:"10"`
	ClipHigh        float64 `yaml:"clip_high" default:"0" min:"0" max:"10"`
	Loss            string  `yaml:"loss" default:"ppo" oneof:"ppo ppo_two_sided clip_only cispo importance_sampling reinforce grpo gspo"`
	RatioBound      float64 `yaml:"ratio_bound" default:"3" min:"1"`
	LossKL          float64 `yaml:"loss_kl" default:"0.04" min:"0"`
	ValueClip       float64 `yaml:"value_clip" default:"0.2" min:"0"`
	ValueHalf       bool    `yaml:"value_half" default:"true"`
	ValueCoef       float64 `yaml:"value_coef" default:"0.1" min:"0"`
	ValueLR         float64 `yaml:"value_lr" default:"0" min:"0"`
	ValueInput      string  `yaml:"value_input" default:"answer" oneof:"answer history"`
	KL              float64 `yaml:"kl" default:"0.0002" min:"0"`
	KLForm          string  `yaml:"kl_form" default:"sampled" oneof:"sampled ref_policy_sampled ref_policy_exact"`
	Terminal        string  `yaml:"terminal" default:"last" oneof:"last trl"`
	Lambda          float64 `yaml:"lambda" default:"0.95" min:"0" max:"1"`
	GammaToken      float64 `yaml:"gamma_token" default:"1" min:"0" max:"1"`
	Whiten          bool    `yaml:"whiten" default:"true"`
	Schedule        string  `yaml:"schedule" default:"all" oneof:"all alternating"`
	ScheduleInitial int     `yaml:"schedule_initial" default:"20" min:"0"`
	ScheduleBlock   int     `yaml:"schedule_block" default:"40" min:"1"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "rl/learn/ppo/keys.md", keyTexts }

// Objective is the loss of the policies' tokens: averaged within an answer, then over answers (MAPoRL §4).
func (s Settings) Objective() loss.TokenObjective {
	return loss.TokenObjective{
		Loss: loss.LossName(s.Loss), Reduction: loss.SeqMean, Clip: loss.Clip{Low: s.Clip, High: cmp.Or(s.ClipHigh, s.Clip)},
		Bound: s.RatioBound, KLCoef: s.LossKL,
	}
}
