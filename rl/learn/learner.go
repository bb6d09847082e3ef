// Package learn is the room of the learners: it turns episodes into optimizer steps.
//
// A [Learner] does one update after another, each in one function: it lets the team play, credits the completions, and trains policies on them. It is
// a function of the episodes: a [Session] may have them from a rollout or from disk ([Recorded]), and the engines need not sample. The folders below hold the families of
// algorithms, one each:
//
//	rl/learn/ppo           MAPPO: MAPoRL's multi-agent PPO, token by token, with critics
//	rl/learn/group/words   what recipes say of groups and their credit
//	rl/learn/group         MAGRPO and its relatives: advantages inside the group of completions of an agent at a node
//	rl/learn/actorcritic   IAC and MAAC: turns compared with what a critic expects
//	rl/learn/preference    MADPO: pairs of joint responses; also the pairs that reward models learn from
//	rl/learn/supervised    SFT: the untrained team's best debates
//	recipe/language     the register: one line for each algorithm
//	rl/learn/learntest     what every learner must do, tried on an engine without a model
//
// Shapes: an episode is a tree of nodes. At a node some agents, or all, each gave a group of completions, and a joint action has one of each.
// Agents are named, never counted by their place: who does not speak at a node has nothing there, and learns what comes of its words
// from the turns of the others.
//
// This package holds what they share. [Config] is all that a learner is told of a run. [Common], which learners embed, takes
// steps at the scheduled rate and scores answers under the base. [AnswersIn] lists what trained policies wrote, [Buffers] collect
// samples until there are enough for a step, [Accumulate] hands an engine the gradients of several policies at once. [Common.Accumulate] also takes
// down what each agent gives to the steps. [Sharing] says which agent uses which policy when, [Stats] is what a learner reports.
//
// A new algorithm is a folder with a [Learner], a struct of its settings and a function that returns its [Algorithm], and one
// line in recipe/language. What a run of it would cost, its entry says of an [Outline]. The conformance suite runs over the register.
package learn

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/credit/workflow"
	"parley/rl/reward"
	"parley/rl/rollout"
	"parley/task/answer"
)

// A Learner is an algorithm at work on a run.
type Learner interface {
	// Update does one update: it lets the team play, says what every completion earned, and takes optimizer steps. Played again over the same
	// episodes ([Recorded]), from the same policies and state, it takes the same steps.
	Update(ctx context.Context, s *Session) error
}

// A Stateful learner may hold samples between updates. Its state is where they come from: what was said there lies in the
// episodes of the run. Restore is for a fresh learner.
type Stateful interface {
	State() []SampleRef
	Restore(refs []SampleRef) error
}

// A Remembering learner carries numbers from one update to the next beside its samples. They are saved with every checkpoint; Remember is for a
// fresh learner.
type Remembering interface {
	Averages() Averages
	Remember(Averages)
}

// Averages are moving averages by name.
type Averages = credit.RoleState

// A SampleRef says where in the episodes of a run an agent gave its completions.
type SampleRef struct {
	Update  int `json:"update"`  // from 1
	Episode int `json:"episode"` // its index in the update
	Node    int `json:"node"`
	Agent   int `json:"seat"` // index in the node's agents
}

// Config is all that a learner is told of the run.
type Config struct {
	Algorithm string // its name, such as magrpo
	Settings  []any  // of the families, each by its type: see [SettingsOf]
	Optimizer Optimizer
	// Optimizers are those of policies that have another one: their learning rates count in the place of the run's.
	Optimizers map[engine.Policy]Optimizer
	// KL are the coefficients of policies that have another one than the settings of the algorithm say.
	KL        map[engine.Policy]float64
	Reward    Reward
	Seed      int
	Updates   int // of the whole run
	Problems  int // of an update
	MaxTokens int // of an answer
	// RoleGradients: the gradients of agents who share a policy are measured in every so manieth update, from the first; 0: in none.
	RoleGradients int
	Truncate      bool // drop the oldest tokens of what does not fit a context; else it is an error

	Actors  []rollout.Actor // of every agent
	Sharing Sharing
	// Weights say what of the rewards each agent learns from; nil: of the team's all.
	Weights []RewardWeights
	Voters  []int // agents whose vote is what the team answers, in the order in which ties are settled; nil: it does not vote
	Turns   int
	Game    string     // what is played: the name of the task
	Lead    int        // the agent, from 0, whose base a critic of the whole team is an adapter of
	Steps   StepCounts // taken so far; the learner counts on
	Tops    StepCounts // the update, from 0, in which the newest step of each policy's warm-up was taken; the learner writes it down
	// Recall reads the credited episodes of an earlier update, from 1.
	Recall func(update int) ([]*rollout.Episode, error)
	// EpochEnds reports whether every problem has been drawn once more after an update, from 0, or the run ends.
	EpochEnds func(update int) bool
}

// RewardWeights make the reward of an agent of that of the team, of what is paid to the agent alone, and of what is paid to the others alone.
type RewardWeights workflow.Weights

// Of is the reward of an agent, from 0, for the j-th joint action of a node.
func (w RewardWeights) Of(n *rollout.Node, agent, j int) float64 {
	var own []float64
	if n.Own != nil {
		own = n.Own[j]
	}
	return workflow.Weights(w).Of(agent, n.Rewards[j], own)
}

// WeightsOf are those of an agent.
func (c Config) WeightsOf(agent int) RewardWeights {
	if agent < len(c.Weights) {
		return c.Weights[agent]
	}
	return RewardWeights{Team: 1}
}

// StepCounts are a number for every policy, such as its optimizer steps so far. They are saved with every checkpoint.
type StepCounts map[engine.Policy]int

// Reward says how the scores of a debate become what its answers earn (MAPoRL §2).
type Reward struct {
	Scheme reward.Scheme
	// Joint says that one score is for all answers of a turn, FinalOnly that only the last turn has any.
	Joint, FinalOnly bool
	// Answered says that the protocol says what the team answers: that is what an episode is worth, not what its last speakers said.
	Answered bool
	// ByScore says that an answer counts as right by its score, not by its label.
	ByScore bool
	// Width is that of the range of joint rewards: differences that are rounding in it are none.
	Width float64
	// Unreadable says how answers without a readable result vote.
	Unreadable answer.Invalid
}

// SettingsOf returns the settings of one family of algorithms from those of the run.
func SettingsOf[T any](c Config) (T, error) {
	found, ok := among[T](c.Settings)
	if !ok {
		return found, fmt.Errorf("internal error: algorithm %s was given no %T", c.Algorithm, found)
	}
	return found, nil
}

// SettingsIn returns the settings of one family of algorithms from those of an [Outline]; all zero where they are not there.
func SettingsIn[T any](all []any) T {
	found, _ := among[T](all)
	return found
}

func among[T any](all []any) (found T, ok bool) {
	for _, s := range all {
		if found, ok = s.(T); ok {
			return found, true
		}
	}
	return found, false
}
