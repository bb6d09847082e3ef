package recipe

import (
	"fmt"

	"parley/rl/learn"
)

// slowest is the share of the automatic learning rate below which a policy hardly moves within a run.
const slowest = 1. / 20

// crawls says that the learning rate is far below what adapters on the shipped base need. It looks at no other base, whose size is not known
// before it is open.
func (r *Recipe) crawls() bool {
	return r.Model == "parley-base" && len(r.Models) == 0 && r.Optimizer.LR > 0 && r.Optimizer.LR < slowest*learn.AutomaticRate(1, r.Policies)
}

// replaced says that answers of a debate with a reward of their own may get a penalty in its place.
func (r *Recipe) replaced() bool {
	p := r.Reward.Penalties
	return !r.trees() && r.Reward.Joint() && (p.NoBox || p.MinTokens > 0 || p.AfterBox || p.Repeats > 0 || p.Reasoning)
}

// unread says where a workflow takes missing answers for equal ones.
func (r *Recipe) unread() (list []string) {
	if !r.Stepwise() {
		return nil
	}
	for _, u := range r.Workflow("").Unreads() {
		list = append(list, fmt.Sprintf("%s: %s takes answers that could not be read for equal ones; write %s", u.Place, u.Found, u.Remedy))
	}
	return list
}

// warnings are combinations that run and are probably not meant; what is %v in a text is filled in by about.
var warnings = []struct {
	when  func(r *Recipe) bool
	text  string
	about func(r *Recipe) any
}{
	{
		when: (*Recipe).crawls, text: "optimizer.lr is %v, but policies on the shipped base hardly move below a twentieth of what auto gives: leave it out",
		about: func(r *Recipe) any { return r.Optimizer.LR },
	},
	{
		when: (*Recipe).replaced, text: "reward.penalties.size, %v, takes the place of your reward wherever an answer is flagged: leave reward.penalties out unless you mean that",
		about: func(r *Recipe) any { return r.Reward.Penalties.Size },
	},
	{when: func(r *Recipe) bool {
		in := r.Reward.Incentives
		return in.Rule == "reference" && (in.Beta0 != 0 || in.Beta1 != 0) && r.Team.Turns == 2
	}, text: "reward.incentives.rule reference credits nothing at turn 1, so beta has no effect in a debate of two turns (maporl.md 2.3)"},
	{
		when: func(r *Recipe) bool { return r.Eval.Solving() > 1 && r.Eval.Temperature == 0 },
		text: "eval.temperature is 0: all answers to a problem are equal, so eval.pass_at and eval.accuracy_at say the same of every k",
	},
	{when: func(r *Recipe) bool { return r.Optimizer.LR == 0 }, text: "optimizer.lr is 0: nothing is learned"},
	{when: func(r *Recipe) bool { return r.Training.Tokens > 0 && (r.Optimizer.Decay != "none" || r.Prefers()) }, text: "training.tokens ends a training whose learning rate or iterations are laid out over all of training.updates"},
	{
		when: func(r *Recipe) bool { return r.Training.Updates > 0 && r.Training.Checkpoint > r.Training.Updates },
		text: "training.checkpoint is greater than training.updates: an interrupted run starts again from nothing",
	},
}
