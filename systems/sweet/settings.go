package sweet

import (
	_ "embed"
)

// The ways in which a policy learns from dialogues of the untrained team.
const (
	byAdvantage = "advantage"      // candidates that a critic has ranked: SWEET-RL
	byDialogue  = "multi-turn-dpo" // whole dialogues in pairs
	byImitation = "rft"            // dialogues that solved their problem
)

// Settings are those of learning from dialogues with hidden fields. The defaults are the paper's where it says a number: β = β′ = 0.1, 0.01 of the negative
// log-likelihood, batches of 8 pairs, one pass of the policy, four of the critic, four pairs a turn.
//
//	method           learns from                           section
//	advantage        candidates, ranked by the critic      draws, critic.*, beta, nll
//	multi-turn-dpo   whole dialogues in pairs              pairs, beta, nll
//	rft              dialogues that are good enough        threshold, per_task
type Settings struct {
	Method    string  `yaml:"method" default:"advantage" oneof:"advantage multi-turn-dpo rft"`
	Pairs     string  `yaml:"pairs" default:"solved" oneof:"solved best"`
	Draws     int     `yaml:"draws" default:"4" min:"1" max:"256"`
	Threshold float64 `yaml:"threshold" default:"1"`
	PerTask   int     `yaml:"per_task" default:"0" min:"0"`
	Epochs    int     `yaml:"epochs" default:"1" min:"1" max:"100"`
	Batch     int     `yaml:"batch" default:"8" min:"1"`
	Beta      float64 `yaml:"beta" default:"0.1" min:"0.0001"`
	NLL       float64 `yaml:"nll" default:"0.01" min:"0"`
	Critic    Critic  `yaml:"critic"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "systems/sweet/keys.md", keyTexts }

// Critic are the settings of the critic. What it reads is the recipe's affair: c may stand anywhere in its prompt, and a base that was made for one form of
// prompts needs that form. Without hidden fields it is the ablation of the paper, a critic that knows no more than the policy.
//
//	norm      per_turn   score = Σ_t (1/L_t) Σ_l d_tl        without 1/L_t long turns weigh more, and replies shrink
//	          per_token  score = Σ_tl d_tl / Σ_t L_t         d = log π_θ − log π_ref
type Critic struct {
	Hidden  []string `yaml:"hidden"`
	Prompt  string   `yaml:"prompt" default:""`
	Updates int      `yaml:"updates" default:"0" min:"0"`
	Epochs  int      `yaml:"epochs" default:"4" min:"1" max:"100"`
	Batch   int      `yaml:"batch" default:"8" min:"1"`
	Beta    float64  `yaml:"beta" default:"0.1" min:"0.0001"`
	NLL     float64  `yaml:"nll" default:"0.01" min:"0"`
	Rate    float64  `yaml:"rate" default:"1" min:"0"`
	Norm    string   `yaml:"norm" default:"per_turn" oneof:"per_turn per_token"`
	Against string   `yaml:"against" default:"with_c" oneof:"with_c without_c"`
}

// reduction is the norm in the words of package dialogue.
func (c Critic) reduction() Reduction {
	if c.Norm == "per_token" {
		return TokenMean
	}
	return TurnMean
}

// critical says that there is a critic.
func (s Settings) critical() bool { return s.Method == byAdvantage }

// criticAt is the update, from 1, at whose end the critic of a run of so many learns.
func (s Settings) criticAt(updates int) int {
	if s.Critic.Updates == 0 {
		return updates
	}
	return min(s.Critic.Updates, updates)
}
