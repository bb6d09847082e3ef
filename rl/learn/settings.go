package learn

import (
	_ "embed"
	"slices"

	"parley/engine"
	"parley/rl/loss"
)

// Policies says which policies there are, and what each trains.
type Policies struct {
	Sharing          string   `yaml:"sharing" default:"per-turn" oneof:"shared per-turn per-agent per-agent-turn first-and-later"`
	FirstTrainedTurn int      `yaml:"first_trained_turn" default:"1" min:"1"`
	Frozen           []int    `yaml:"frozen" min:"1"`
	Full             bool     `yaml:"full" default:"false"`
	Rank             int      `yaml:"rank" default:"8" min:"1" max:"1024"`
	Alpha            float64  `yaml:"alpha" default:"16" min:"0.001"`
	Dropout          float64  `yaml:"dropout" default:"0" min:"0" max:"1"`
	Targets          []string `yaml:"targets" oneof:"q_proj k_proj v_proj o_proj gate_proj up_proj down_proj qkv_proj gate_up_proj"`
}

//go:embed policies.md
var policiesTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Policies) KeyTexts() (file, text string) { return "rl/learn/policies.md", policiesTexts }

// IsFrozen reports whether an agent, counted from 0, is never trained.
func (p Policies) IsFrozen(agent int) bool { return slices.Contains(p.Frozen, agent+1) }

// Optimizer holds AdamW and its schedule.
type Optimizer struct {
	LR          float64 `yaml:"lr" default:"auto" auto:"-1" min:"0"`
	Beta1       float64 `yaml:"beta1" default:"0.9" min:"0" max:"0.9999"`
	Beta2       float64 `yaml:"beta2" default:"0.95" min:"0" max:"0.99999"`
	Eps         float64 `yaml:"eps" default:"1e-8" min:"1e-30"`
	WeightDecay float64 `yaml:"weight_decay" default:"0.01" min:"0"`
	ClipNorm    float64 `yaml:"clip_norm" default:"0" min:"0"`
	Warmup      int     `yaml:"warmup" default:"10" min:"0"`
	Decay       string  `yaml:"decay" default:"linear" oneof:"none linear"`
	FinalLR     float64 `yaml:"final_lr" default:"0.1" min:"0" max:"1"`
}

//go:embed optimizer.md
var optimizerTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Optimizer) KeyTexts() (file, text string) { return "rl/learn/optimizer.md", optimizerTexts }

// Adam holds the settings of a step at a learning rate.
func (o Optimizer) Adam(lr float64) engine.Adam {
	return engine.Adam{LR: lr, Beta1: o.Beta1, Beta2: o.Beta2, Eps: o.Eps, WeightDecay: o.WeightDecay, ClipNorm: o.ClipNorm}
}

// Schedule is that of a learning rate with a peak over so many updates.
func (o Optimizer) Schedule(peak float64, updates int) loss.RateSchedule {
	r := loss.RateSchedule{Peak: peak, Warmup: o.Warmup, Updates: updates, Floor: 1}
	if o.Decay == "linear" {
		r.Floor = o.FinalLR
	}
	return r
}

// Rates are learning rates of a policy: of its first step, the greatest one, and that of its last step.
type Rates struct {
	First    float64 `json:"first"`
	Greatest float64 `json:"greatest"`
	Last     float64 `json:"last"`
}

// Rates are those of a policy that takes so many steps, from 1, spread evenly over the updates of the run.
func (o Optimizer) Rates(updates, steps int) Rates {
	r := o.Schedule(o.LR, updates)
	at := func(step int) int { return step * updates / steps } // the update of a step
	rises := min(steps, max(o.Warmup, 1))
	top := at(rises - 1)
	return Rates{First: r.Rate(0, 0, 0), Greatest: r.Rate(rises-1, top, top), Last: r.Rate(steps-1, at(steps-1), top)}
}
