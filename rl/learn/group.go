package learn

import (
	"cmp"
	_ "embed"

	"parley/rl/credit"
	"parley/rl/loss"
)

// Shapes of rollouts that are no words of group.rollout: an algorithm has them ([Algorithm.Shape]). In both one agent speaks at a time.
const (
	Decisions    = "decisions"    // one of its candidates is executed (AT-GRPO)
	Alternatives = "alternatives" // all that it might say goes on (C3)
)

// Group holds the settings of the group-relative algorithms (magrpo.md 2) and of the rollouts of actor-critics.
type Group struct {
	Size                int       `yaml:"size" default:"4" min:"1" max:"256"`
	Rollout             string    `yaml:"rollout" default:"tree" oneof:"tree chain episodes"`
	Alpha               float64   `yaml:"alpha" default:"1"`
	Pick                string    `yaml:"pick" default:"best" oneof:"best first draw"`
	FanOut              []int     `yaml:"fanout" min:"1" max:"256"`
	Replay              []int     `yaml:"replay" min:"1" max:"256"`
	ReplayTurn          int       `yaml:"replay_turn" default:"0" min:"0"`
	Siblings            string    `yaml:"siblings" default:"prompt" oneof:"prompt role"`
	Backup              string    `yaml:"backup" default:"children" oneof:"children leaves"`
	Without             string    `yaml:"without"`
	Joint               string    `yaml:"joint" default:"aligned" oneof:"aligned cross crossed"`
	CrossCredit         string    `yaml:"cross_credit" default:"mean" oneof:"mean sum counterfactual"`
	Discount            float64   `yaml:"discount" default:"auto" auto:"-1" min:"0" max:"1"`
	Normalize           bool      `yaml:"normalize" default:"false"`
	Reduction           string    `yaml:"reduction" default:"seq_sum" oneof:"seq_sum seq_mean token_mean"`
	Terminate           *float64  `yaml:"terminate"`
	Buffer              int       `yaml:"buffer" default:"0" min:"0"`
	BufferAcrossUpdates bool      `yaml:"buffer_across_updates" default:"false"`
	TrainBatch          int       `yaml:"train_batch" default:"0" min:"0"`
	RatioCap            float64   `yaml:"ratio_cap" default:"2" min:"0"`
	KL                  float64   `yaml:"kl" default:"0" min:"0"`
	KLForm              string    `yaml:"kl_form" default:"k3" oneof:"k3 sampled"`
	TurnWeights         []float64 `yaml:"turn_weights"`
	EndValue            *float64  `yaml:"end_value"`
	EndWeight           float64   `yaml:"end_weight" default:"1" min:"0"`
	LogprobsAt          string    `yaml:"logprobs_at" default:"sampled" oneof:"sampled full"`
	Padding             string    `yaml:"padding" default:"exact" oneof:"exact padded"`
}

//go:embed group.md
var groupTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Group) KeyTexts() (file, text string) { return "rl/learn/group.md", groupTexts }

// autoDiscount stands for the discount that follows from the rollout.
const autoDiscount = -1

// Gamma is the discount over turns. Messages of whole episodes are compared with each other wherever they stand, and alternatives whose
// continuations differ in length too: a discount below 1 would make those nearer to the end better, for nothing that anybody did.
func (g Group) Gamma() float64 {
	switch {
	case g.Discount != autoDiscount:
		return g.Discount
	case g.Rollout == "episodes", g.Rollout == Alternatives:
		return 1
	}
	return 0.9
}

// Decisions is the rule by which one of size candidates is executed.
func (g Group) Decisions() *credit.ATGRPO {
	return &credit.ATGRPO{K: g.Size, Alpha: g.Alpha, Pick: credit.ATGRPOPick(g.Pick), Spread: credit.Spread{Std: credit.StdNone, Divide: credit.DivideFloor, Eps: credit.SpreadEps}}
}

// FannedOut is how many alternatives messages have in so many turns, where all go on.
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
	case Decisions:
		return credit.DecisionsSize(speakers, samples)
	case Alternatives:
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
