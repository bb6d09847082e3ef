package learn

import (
	"cmp"

	"parley/credit"
	"parley/credit/atgrpo"
	"parley/loss"
)

// Group holds the settings of the group-relative algorithms (magrpo.md 2) and of the rollouts of actor-critics.
type Group struct {
	Size                int       `yaml:"size" default:"4" min:"1" max:"256" doc:"Completions per agent and node, or episodes of a problem (G), at least 2 for group-relative advantages. Actor-critics over several turns need 1."`
	Rollout             string    `yaml:"rollout" default:"tree" oneof:"tree chain episodes atgrpo c3" doc:"tree: every joint action of a node goes on; chain: the best one does (magrpo.md 2.6); episodes: a problem has size whole episodes, which share nothing but its first prompt, and a message is compared with their scores. Where one agent decides at a time: atgrpo, size candidates answer each prompt, are scored by what this turn pays, and one is executed (AT-GRPO); c3, a message is compared with its alternatives by what follows them (C3). See docs/credit.md."`
	Alpha               float64   `yaml:"alpha" default:"1" doc:"rollout atgrpo: weight of the team's reward beside what the agent is paid alone."`
	Pick                string    `yaml:"pick" default:"best" oneof:"best first draw" doc:"rollout atgrpo: the candidate that is executed. best: of the highest score, the first of them. first: the first. draw: a drawn one, so that states are those of the policy."`
	FanOut              []int     `yaml:"fanout" min:"1" max:"256" doc:"rollout c3: alternatives of a message by turn, the last number for all later turns; empty: size for each. [4, 2] has four plans and two programs of each."`
	Replay              []int     `yaml:"replay" min:"1" max:"256" doc:"rollout c3: go back to one message of each of size finished episodes. [4, 2] makes it one of four alternatives, each continued to the end two times; the original and its end are the first of them. Empty: all messages have alternatives, as fanout says."`
	ReplayTurn          int       `yaml:"replay_turn" default:"0" min:"0" doc:"replay: the turn of that message, from 1; 0: it is drawn of those that are learned from."`
	Siblings            string    `yaml:"siblings" default:"prompt" oneof:"prompt role" doc:"rollout c3: whom a message is compared with. prompt: its alternatives. role: all messages of the agent in the turn, whatever stands above them (C3 without replay)."`
	Backup              string    `yaml:"backup" default:"children" oneof:"children leaves" doc:"rollout c3: the value of a message. children: its reward and, discounted, the mean of its alternatives' values below. leaves: the mean of all leaves below."`
	Without             string    `yaml:"without" doc:"rollout episodes: beside its size episodes a problem has as many in which this agent says nothing. Nothing is learned from these; metrics.jsonl then says how often the agent helped and hurt, and credit.solo may reward it for that. Empty: there are none."`
	Joint               string    `yaml:"joint" default:"aligned" oneof:"aligned cross crossed" doc:"aligned: j-th completions together; cross: all combinations."`
	CrossCredit         string    `yaml:"cross_credit" default:"mean" oneof:"mean sum counterfactual" doc:"Credit of a completion in cross mode, of the returns R of the joint actions that it is part of. mean: their mean. sum: their sum, as in the published code. counterfactual: the mean of R less what the agent's other completions would have returned with the same partners, a baseline of its own: with it mareinforce is magrpo (magrpo.md 16)."`
	Discount            float64   `yaml:"discount" default:"auto" auto:"-1" min:"0" max:"1" doc:"Discount over turns. auto: 1 with group.rollout episodes and c3, where messages are compared that are not equally far from the end, else 0.9."`
	Normalize           bool      `yaml:"normalize" default:"false" doc:"Divide advantages by the group's standard deviation."`
	Reduction           string    `yaml:"reduction" default:"seq_sum" oneof:"seq_sum seq_mean token_mean" doc:"How token losses of a group are added up."`
	Terminate           *float64  `yaml:"terminate" doc:"A node whose mean processed reward exceeds this share of the reward's range ends there; absent: never."`
	Buffer              int       `yaml:"buffer" default:"0" min:"0" doc:"Node samples per agent that trigger optimizer steps; 0: one step for all of an update."`
	BufferAcrossUpdates bool      `yaml:"buffer_across_updates" default:"false" doc:"Buffers keep what is left for the next update, until every problem has been drawn once or the run ends; else an update drains them."`
	TrainBatch          int       `yaml:"train_batch" default:"0" min:"0" doc:"Node samples per optimizer step; 0: the whole buffer."`
	RatioCap            float64   `yaml:"ratio_cap" default:"2" min:"0" doc:"With several steps per buffer, or training.async 1, token weights min(pi/pi_behaviour, cap); 0: off."`
	KL                  float64   `yaml:"kl" default:"0" min:"0" doc:"Coefficient of the KL penalty on returns (magrpo.md 2.5), on rewards in actor-critics."`
	TurnWeights         []float64 `yaml:"turn_weights" doc:"Weights of the turns' losses in a chain; empty: all 1."`
	EndValue            *float64  `yaml:"end_value" doc:"A turn of a chain whose mean processed reward is exactly this is its last; absent: none is."`
	EndWeight           float64   `yaml:"end_weight" default:"1" min:"0" doc:"Further weight of the loss of such a turn."`
	LogprobsAt          string    `yaml:"logprobs_at" default:"sampled" oneof:"sampled full" doc:"Log-probabilities that are trained: of the distribution that was sampled from, or at temperature 1 over the whole vocabulary, as the published code has them."`
	Padding             string    `yaml:"padding" default:"exact" oneof:"exact padded" doc:"exact: every sampled token counts, the end token too, and nothing else. padded: as the published code, answers are padded to the longest of their group, pads count, and the last place of every row is dropped. For comparisons only."`
}

// autoDiscount stands for the discount that follows from the rollout.
const autoDiscount = -1

// Gamma is the discount over turns. Messages of whole episodes are compared with each other wherever they stand, and alternatives whose
// continuations differ in length too: a discount below 1 would make those nearer to the end better, for nothing that anybody did.
func (g Group) Gamma() float64 {
	switch {
	case g.Discount != autoDiscount:
		return g.Discount
	case g.Rollout == "episodes", g.Rollout == "c3":
		return 1
	}
	return 0.9
}

// Decisions is the rule by which one of size candidates is executed.
func (g Group) Decisions() *atgrpo.Rule {
	return &atgrpo.Rule{K: g.Size, Alpha: g.Alpha, Pick: atgrpo.Pick(g.Pick), Spread: credit.Spread{Std: credit.StdNone, Divide: credit.DivideFloor, Eps: credit.SpreadEps}}
}

// FannedOut is how many alternatives messages have in so many turns of rollout c3.
func (g Group) FannedOut(turns int) []int {
	out := make([]int, turns)
	for t := range out {
		out[t] = g.Size
		if n := len(g.FanOut); n > 0 {
			out[t] = g.FanOut[min(t, n-1)]
		}
	}
	return out
}

// WorkflowSize counts what an episode of a team implies that asks so many speakers by turn, with so many completions each where a tree is made of
// them; size is the number of whole episodes.
func (g Group) WorkflowSize(speakers, samples []int, size int) (credit.Size, error) {
	switch g.Rollout {
	case "episodes":
		s, err := credit.EpisodesSize(speakers, size)
		if g.Without != "" {
			s.Generations *= 2 // at most: the one who is left out is not asked
		}
		return s, err
	case "atgrpo":
		return credit.DecisionsSize(speakers, samples)
	case "c3":
		speakers, samples = oneByOne(speakers, g.FannedOut(len(samples)))
		if n := g.Replay; len(n) == 2 {
			return credit.ReplaySize(speakers, size, n[0], n[1])
		}
	}
	mode, err := credit.ParseJointMode(g.Joint)
	if err != nil {
		return credit.Size{}, err
	}
	return credit.UnevenTreeSize(mode, speakers, samples)
}

// oneByOne are the turns of agents who speak one after the other where they are asked at once.
func oneByOne(speakers, samples []int) (ones, each []int) {
	for t, n := range speakers {
		for range n {
			ones, each = append(ones, 1), append(each, samples[t])
		}
	}
	return ones, each
}

// StepBatches splits what a buffer held into the samples of one optimizer step each: those of one turn, mixed by shuffle (nil: not
// at all), no more than group.train_batch (MAGRPO §2.4). Where whole episodes are compared, the samples of all turns share steps, and one
// step for all of them mixes none: messages of a chat stay together, so that what they share is computed once.
func StepBatches[S any](g Group, held []S, turn func(S) int, shuffle func(n int, swap func(i, j int))) [][]S {
	size := cmp.Or(g.TrainBatch, max(len(held), 1))
	if g.Rollout == "episodes" && len(held) <= size {
		shuffle = nil
	}
	return loss.Minibatches(held, func(s S) int { return g.StepTurn(turn(s)) }, size, shuffle)
}

// StepTurn is the turn whose steps the samples of a turn are part of: that turn, or the first, where whole episodes are compared.
func (g Group) StepTurn(turn int) int {
	if g.Rollout == "episodes" {
		return 0
	}
	return turn
}
