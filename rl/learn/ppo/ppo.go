// Package ppo is MAPPO, the algorithm of MAPoRL (§2, §4): one answer is one episode of n tokens, turns meet in the reward alone, and
// every policy has a value adapter of its own.
//
//	rewards.go   R(t,a) of every answer, by the reward scheme (§2)
//	ppo.go       which answers learn, and what critics say of them; what a run costs
//	tokens.go    token rewards, advantages and returns
//	learn.go     passes over the answers: a step of each policy and of its critic a minibatch
//	settings.go  the recipe's section ppo
//
// For an answer with tokens x = 1..n, log-probabilities log π of the policy that sampled it and log π_ref of the base, and values V of the
// states before each token, all at the sampling temperature (§4):
//
//	r_x = −λ_KL·kl_x, and R(t,a) on top at the answer's end      credit.SampledKL, credit.TokenRewards
//	δ_x = r_x + γ·V_{x+1} − V_x                                  V past the end is 0
//	A_x = δ_x + γ·λ·A_{x+1}                                      credit.GAE
//	G_x = A_x + V_x                                              targets of the critic, before whitening
//
// The A of the answers of one turn and agent are then whitened together. The losses of a minibatch are means over the tokens of an answer,
// then over answers:
//
//	policy  max(−ρA, −clip(ρ)A), or another of loss.TokenObjective; ρ = exp(log π_now − log π)
//	critic  c·½·max((V_now − G)², (clip(V_now, V ± 0.2) − G)²)
//
// In the first pass after a rollout every ρ is exactly 1: anything else is an error, because then sampler and trainer disagree.
package ppo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// MAPPO is the algorithm's entry in the register.
func MAPPO() learn.Algorithm {
	return learn.Algorithm{
		Name: "mappo", About: "MAPoRL's multi-agent PPO with one value adapter per policy", Kind: learn.Debates,
		Sections: []learn.Section{section()}, DesignsRewards: true, PenalizesKL: true, TeamAlone: "it rewards every answer by its own score already, and reward.design weighs the others'",
		Critics: func([]any) learn.Critics { return learn.CriticsOwn }, New: New, Steps: steps, Passes: passes,
	}
}

// errSampledOnly says that an engine is no [engine.Diverger].
var errSampledOnly = errors.New("ppo.kl_form is ref_policy_exact, but the engine cannot compare whole distributions")

type learner struct {
	learn.Common
	settings  Settings
	kl        credit.KL           // how kl_x is estimated
	terminal  credit.Terminal     // where R(t,a) stands
	gae       credit.GAE          // γ and λ over tokens; the γ over turns belongs to the reward scheme
	loss      loss.TokenObjective // of a token of the policy
	objective loss.ValueObjective // of a value of the critic
	schedule  loss.TurnSchedule   // which turns learn in an update

	// answers are those that Credit has found to learn from. Learn takes them, so that each call of it needs one of Credit before.
	answers []*answer
}

// An answer is one completion, token by token.
type answer struct {
	learn.Answer
	reads     *rollout.AgentTurn // whose prompt the critic reads before the answer
	kl        []float64          // [n] divergence from the base
	values    []float32          // [n+1] of the critic before the update
	advantage []float64          // [n]
	returns   []float64          // [n], or [n+1] where the reward stands past the last token
}

// New returns a learner of MAPPO. It needs [Settings].
func New(c learn.Config) (learn.Learner, error) { return newLearner(c) }

func newLearner(c learn.Config) (*learner, error) {
	s, err := learn.SettingsOf[Settings](c)
	if err != nil {
		return nil, err
	}
	l := &learner{
		Common: learn.Common{Config: c}, settings: s,
		kl:        credit.KL(s.KLForm),
		terminal:  credit.Terminal(s.Terminal),
		gae:       credit.GAE{Gamma: s.GammaToken, Lambda: s.Lambda},
		loss:      s.Objective(),
		objective: loss.ValueObjective{Weight: s.ValueCoef, Half: s.ValueHalf, Clip: s.ValueClip > 0, Range: s.ValueClip},
		schedule: loss.TurnSchedule{
			Kind: loss.TurnKind(s.Schedule), Turns: c.Turns, First: c.Sharing.FirstTrainedTurn,
			Initial: s.ScheduleInitial, Block: s.ScheduleBlock,
		},
	}
	return l, cmp.Or(c.Reward.Scheme.Check(), l.loss.Check(), l.schedule.Check())
}

// Update implements [learn.Learner].
func (l *learner) Update(ctx context.Context, s *learn.Session) error {
	return s.Run(ctx, l.assign, l.train)
}

// assign says what was earned: every answer gets the reward of its scheme, R(t,a), and the answers of trained policies get
// advantages A [n] and returns G [n] for their tokens. It scores answers under the base and under the critics, both as they are
// before the update: these log-probabilities and values stay the old ones of all passes.
func (l *learner) assign(ctx context.Context, episodes []*rollout.Episode, s *learn.Stats) error {
	for _, e := range episodes {
		if err := l.assignRewards(e, s); err != nil {
			return err
		}
	}
	l.answers = l.trainedAnswers(episodes)
	if err := l.divergences(ctx); err != nil {
		return err
	}
	if err := l.values(ctx, episodes); err != nil {
		return err
	}
	l.advantages(s)
	return nil
}

// trainedAnswers lists the answers of the turns that learn in the episodes' update. Answers of other turns have rewards and are not
// learned from (MAPoRL §6).
func (l *learner) trainedAnswers(episodes []*rollout.Episode) []*answer {
	var out []*answer
	for _, e := range episodes {
		turns := l.schedule.Trained(e.Update - 1)
		for _, a := range learn.AnswersIn([]*rollout.Episode{e}) {
			if slices.Contains(turns, a.Turn+1) {
				out = append(out, &answer{Answer: *a})
			}
		}
	}
	return out
}

// engineOf is the engine of the agent that wrote an answer.
func (l *learner) engineOf(a *answer) engine.Engine { return l.EngineOf(a.AgentTurn.Agent) }

// values asks the critics for the values of the states before each token. A critic reads the question and the answer alone
// (the first prompt of the agent), or the whole dialogue (MAPoRL §4, Remark 4).
func (l *learner) values(ctx context.Context, episodes []*rollout.Episode) error {
	first := firstAsked(episodes)
	for _, a := range l.answers {
		a.reads = a.AgentTurn
		if l.settings.ValueInput == "answer" {
			a.reads = first[a.AgentTurn]
		}
	}
	err := learn.Forward(ctx, l.answers, l.engineOf, l.valueDatum, func(a *answer, out engine.Output) { a.values = out.Values })
	if err != nil {
		return fmt.Errorf("value answers: %w", err)
	}
	return nil
}

// firstAsked says for everything that an agent was asked what the same agent was asked first in the same debate.
func firstAsked(episodes []*rollout.Episode) map[*rollout.AgentTurn]*rollout.AgentTurn {
	first := map[*rollout.AgentTurn]*rollout.AgentTurn{}
	for _, e := range episodes {
		of := map[int]*rollout.AgentTurn{} // by agent
		for _, n := range e.Nodes {
			for s := range n.Agents {
				asked := &n.Agents[s]
				if of[asked.Agent] == nil {
					of[asked.Agent] = asked
				}
				first[asked] = of[asked.Agent]
			}
		}
	}
	return first
}

// valueDatum is an answer as its critic reads it: behind the prompt that a.reads says, at temperature 1, for n+1 values and no
// log-probabilities. Where both do not fit the context, the prompt loses its oldest tokens.
func (l *learner) valueDatum(a *answer) engine.Datum {
	reads, context := *a.reads, l.Actors[a.AgentTurn.Agent].Context
	said, _ := a.Completion.Sequence()
	if over := len(reads.Prompt) + len(said) - context; context > 0 && over > 0 {
		reads.Prompt = reads.Prompt[over:] // the answer was given to a shorter prompt
	}
	d := learn.Datum(l.Sharing.Value(a.Turn, a.AgentTurn.Agent), &reads, a.Completion)
	d.Sampling, d.Mask = engine.Sampling{}, engine.Mask{}
	d.ValuesOnly = true
	return d
}

// steps counts one of every policy and one of its critic for each minibatch. With an alternating schedule one turn's policies learn in an
// update.
func steps(o learn.Outline) int {
	s := learn.SettingsIn[Settings](o.Settings)
	policies := o.Trained(true)
	if s.Schedule == "alternating" {
		policies /= o.Turns - o.Sharing.FirstTrainedTurn + 1
	}
	return o.Updates * policies * s.Epochs * s.Minibatches
}

// passes: an answer is scored under the base and by the critic, by the policy once more for an exact divergence, and trained on by policy and
// critic in every epoch.
func passes(settings []any, a learn.AnswerTokens) learn.Passes {
	s := learn.SettingsIn[Settings](settings)
	whole, critic := a.Prompt+a.Answer, a.Question+a.Answer
	if s.ValueInput == "history" {
		critic = whole
	}
	p := learn.Passes{Scored: whole + critic, Trained: float64(s.Epochs) * (whole + critic)}
	if s.KLForm == "ref_policy_exact" {
		p.Scored += whole
		if s.Loss == "grpo" {
			p.Scored += whole
		}
	}
	return p
}
