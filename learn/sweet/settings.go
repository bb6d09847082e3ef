package sweet

import "parley/loss/dialogue"

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
	Method    string  `yaml:"method" default:"advantage" oneof:"advantage multi-turn-dpo rft" doc:"What a policy learns from. advantage: candidates at every turn, ranked by the critic (SWEET-RL). multi-turn-dpo: whole dialogues in pairs. rft: the dialogues whose reward reaches sweet.threshold."`
	Pairs     string  `yaml:"pairs" default:"solved" oneof:"solved best" doc:"Dialogues that are compared: the first with the highest reward of its problem, with each one that earned less. solved: of problems whose highest reward is at least 1. best: of all."`
	Draws     int     `yaml:"draws" default:"4" min:"1" max:"256" doc:"method advantage: pairs of candidates that are drawn at every turn."`
	Threshold float64 `yaml:"threshold" default:"1" doc:"method rft: least reward of a dialogue that is learned from."`
	PerTask   int     `yaml:"per_task" default:"0" min:"0" doc:"method rft: most dialogues of a problem, those with the highest rewards; 0: all."`
	Epochs    int     `yaml:"epochs" default:"1" min:"1" max:"100" doc:"Passes of the policy."`
	Batch     int     `yaml:"batch" default:"8" min:"1" doc:"Pairs of an optimizer step of the policy; method rft: messages."`
	Beta      float64 `yaml:"beta" default:"0.1" min:"0.0001" doc:"Factor of the difference of log-ratios in the policy's loss."`
	NLL       float64 `yaml:"nll" default:"0.01" min:"0" doc:"Weight of the negative log-likelihood of what is chosen, a mean over its tokens, in the policy's loss."`
	Critic    Critic  `yaml:"critic"`
}

// Critic are the settings of the critic. What it reads is the recipe's affair: c may stand anywhere in its prompt, and a base that was made for one form of
// prompts needs that form. Without hidden fields it is the ablation of the paper, a critic that knows no more than the policy.
//
//	norm      per_turn   score = Σ_t (1/L_t) Σ_l d_tl        without 1/L_t long turns weigh more, and replies shrink
//	          per_token  score = Σ_tl d_tl / Σ_t L_t         d = log π_θ − log π_ref
type Critic struct {
	Hidden  []string `yaml:"hidden" doc:"Fields of problems that the critic reads, each of which team.fields is to hide from the agents that learn; empty: it reads what the policy reads."`
	Prompt  string   `yaml:"prompt" default:"" doc:"Template of what the critic reads in the place of the first user message of a prompt: .Prompt is that message, .Hidden the texts of the fields in their order, .Fields them by name, .Turn the number of the agent's message, from 1; line TEXT N is the N-th line of a text. Empty: the texts, a line each, and the message behind them."`
	Updates int      `yaml:"updates" default:"0" min:"0" doc:"The critic learns at the end of this update from the dialogues so far, and the policy, in the last one, from the dialogues behind it. 0: both learn in the last update, from all dialogues."`
	Epochs  int      `yaml:"epochs" default:"4" min:"1" max:"100" doc:"Passes of the critic over its pairs."`
	Batch   int      `yaml:"batch" default:"8" min:"1" doc:"Pairs of an optimizer step of the critic."`
	Beta    float64  `yaml:"beta" default:"0.1" min:"0.0001" doc:"Factor of the difference of advantages in the critic's loss."`
	NLL     float64  `yaml:"nll" default:"0.01" min:"0" doc:"Weight of the negative log-likelihood of the chosen dialogue in the critic's loss."`
	Rate    float64  `yaml:"rate" default:"1" min:"0" doc:"Learning rate of the critic, as a multiple of the optimizer's."`
	Norm    string   `yaml:"norm" default:"per_turn" oneof:"per_turn per_token" doc:"Score of a dialogue. per_turn: the sum of its turns' advantages, which are means over tokens. per_token: the mean over all its tokens, as the published code has it."`
	Against string   `yaml:"against" default:"with_c" oneof:"with_c without_c" doc:"What the critic's log-probabilities are compared with when candidates are ranked: the base given the hidden fields, or, as the published code has it, the base without them."`
}

// reduction is the norm in the words of package dialogue.
func (c Critic) reduction() dialogue.Reduction {
	if c.Norm == "per_token" {
		return dialogue.TokenMean
	}
	return dialogue.TurnMean
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
