// Package actorcritic holds IAC and MAAC (MAGRPO §5): a critic says what a turn is expected to bring, and answers are made more
// or less probable by how far the reward and the next turn's value exceed that.
//
//	actorcritic.go  credit, buffers, and the loss of policies
//	trajectory.go   the turns of a dialogue as critics see them: rewards, targets, errors
//	critic.go       what critics read, and their loss
//	estimate.go     what a run costs
//
// A step is one answer of one agent. With V_t the critic's value of the history before it:
//
//	T_t = r_t + γ·V_{t+1}, and r_t at the last turn              credit.TDTarget
//	δ_t = T_t − V_t
//
// An agent that is silent for some turns has their rewards as well, discounted, before the value of its next own turn. MAAC's one critic
// reads what all agents were asked, is asked in every turn, and learns each joint action once, with its first trained answer.
//
// The δ of a drained buffer are whitened. The losses of a minibatch are means over its steps:
//
//	policy  −δ·Σ_t log π(t)                                      weighted with min(π/π_behaviour, cap) where samples are old
//	critic  c·(V − T)², or, for a head on the policy itself, c·max((V − T)², (clip(V, V_rollout ± 0.2) − T)²)
package actorcritic

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// IAC has a critic for every policy.
func IAC() learn.Algorithm {
	return algorithm("iac", "independent actor-critics over turns", ownCritics, false)
}

// MAAC has one critic for all agents.
func MAAC() learn.Algorithm {
	return algorithm("maac", "actors with one central critic", func([]any) learn.Critics { return learn.CriticsCentral }, true)
}

// algorithm is an entry of the register whose critic is central, or one of every policy.
func algorithm(name, about string, critics func([]any) learn.Critics, central bool) learn.Algorithm {
	e := estimates{central}
	return learn.Algorithm{
		Name: name, About: about, Kind: learn.ActorCritic, Sections: []learn.Section{words.Section(), section()}, PenalizesKL: true, Corrects: true, Unread: unread(), Critics: critics, Shape: shape, Steps: e.steps, Passes: e.passes,
		OwnRewards: !central, TeamAlone: "its one critic has one value for all agents, what the team is expected to earn",
		New: func(c learn.Config) (learn.Learner, error) { return New(c, central) },
	}
}

// shape is that of rollouts: critics follow one dialogue after another, whole episodes among them.
func shape(rollout string) string {
	if rollout == "tree" || rollout == "episodes" {
		return rollout
	}
	return ""
}

// ownCritics are adapters of their own beside the policies, or heads on them.
func ownCritics(settings []any) learn.Critics {
	if learn.SettingsIn[Settings](settings).Head == "shared" {
		return learn.CriticsOnPolicies
	}
	return learn.CriticsOwn
}

type learner struct {
	learn.Common
	settings  Settings
	group     learn.Group         // discount, buffers and penalty, which are those of groups
	central   bool                // one critic is for all agents
	objective loss.ValueObjective // c·(V − T)², clipped for a shared head
	steps     []*step             // credited, waiting to be learned from
}

// New returns a learner whose critic is central, or one of every policy. It needs [Settings] and [learn.Group].
func New(c learn.Config, central bool) (learn.Learner, error) {
	s, err := learn.SettingsOf[Settings](c)
	if err != nil {
		return nil, err
	}
	g, err := learn.SettingsOf[learn.Group](c)
	if err != nil {
		return nil, err
	}
	return &learner{
		Common: learn.Common{Config: c}, settings: s, group: g, central: central,
		objective: loss.CriticObjective(s.Coef, s.Head == "shared", s.Clip),
	}, nil
}

// Update implements [learn.Learner].
func (l *learner) Update(ctx context.Context, s *learn.Session) error {
	return s.Run(ctx, l.assign, l.train)
}

// assign says what was earned. It asks the critics about every step, V_t, before anything moves. A completion's Reward is the processed reward of its turn (and of those that follow until its
// agent's critic is asked again), its Advantage the temporal-difference error before whitening.
func (l *learner) assign(ctx context.Context, episodes []*rollout.Episode, s *learn.Stats) error {
	kl, err := l.Divergences(ctx, l.group, learn.AnswersIn(episodes), s)
	if err != nil {
		return err
	}
	l.steps = nil
	for _, e := range episodes {
		steps, err := stepsIn(e, l.central, l.WeightsOf)
		if err != nil {
			return fmt.Errorf("credit problem %s: %w", e.Problem.ID, err)
		}
		for _, x := range steps {
			s.AddReturn(x.AgentTurn.Agent, credit.TDTarget(x.rewards, 0, l.group.Gamma()))
			x.rewards[0] = loss.PenalisedReturn(x.rewards[0], kl[x.Completion], l.KLOf(x.AgentTurn.Policy, l.group.KL))
			if x.critique, err = l.critique(x); err != nil {
				return fmt.Errorf("problem %s, turn %d: %w", e.Problem.ID, x.Turn+1, err)
			}
		}
		l.steps = append(l.steps, steps...)
	}
	if err := l.values(ctx); err != nil {
		return err
	}
	for _, x := range l.steps {
		x.estimate(l.group.Gamma())
		if l.Penalizes(l.group.KL) {
			s.AddShapedReturn(x.AgentTurn.Agent, x.Completion.Reward)
		}
	}
	return nil
}

// values asks the critics about all steps: one value each, of the state after the last token that the critic reads.
func (l *learner) values(ctx context.Context) error {
	err := learn.Forward(ctx, l.steps, l.criticEngine,
		func(x *step) engine.Datum { return x.critique },
		func(x *step, out engine.Output) { x.value = float64(out.Values[0]) })
	if err != nil {
		return fmt.Errorf("value answers: %w", err)
	}
	return nil
}

// train takes the steps: every policy has a buffer of its own, whose steps train it and its critic. Buffers are drained at the
// end of the update: values of an earlier critic would be stale. A masked answer's step is neither the policy's nor the critic's.
func (l *learner) train(ctx context.Context, update int, _ []*rollout.Episode, s *learn.Stats) error {
	b := learn.Buffers[*step]{Size: l.group.Buffer, Drain: func(full []learn.PolicySamples[*step]) error {
		for _, f := range full {
			if err := l.drain(ctx, f.To, f.Samples, update, s); err != nil {
				return err
			}
		}
		return nil
	}}
	for _, x := range l.steps {
		if x.Completion.Masked {
			continue
		}
		if err := b.Add(learn.PolicyRef{Engine: l.EngineOf(x.AgentTurn.Agent), Policy: x.AgentTurn.Policy}, x); err != nil {
			return err
		}
	}
	l.steps = nil
	return b.Flush()
}

// drain takes the optimizer steps of a full buffer: its δ are whitened together, (δ − mean)/√(var + 1e−8), and cut into minibatches of one
// turn each.
func (l *learner) drain(ctx context.Context, to learn.PolicyRef, steps []*step, update int, s *learn.Stats) error {
	rows := make([][]float64, len(steps))
	for i, x := range steps {
		rows[i] = []float64{x.delta}
	}
	if l.settings.Whiten {
		rows = credit.Whiten(rows)
	}
	for i, x := range steps {
		x.advantage = rows[i][0]
	}
	rng := l.Shuffle(to.Policy, update, s.OptimizerSteps)
	for _, batch := range learn.StepBatches(l.group, steps, func(x *step) int { return x.Turn }, rng.Shuffle) {
		if err := l.minibatch(ctx, to, batch, update, s); err != nil {
			return err
		}
	}
	return nil
}

// minibatch takes one optimizer step of a policy and one of its critic. A shared head takes its step with the policy: both gradients are
// added up before it, and the critic's learning rate is the policy's.
func (l *learner) minibatch(ctx context.Context, to learn.PolicyRef, batch []*step, update int, s *learn.Stats) error {
	if err := l.actor(ctx, to, batch, s); err != nil {
		return err
	}
	var due []learn.Due
	if l.settings.Head == "separate" {
		due = append(due, learn.Due{To: to, Peak: l.Optimizer.LR})
	}
	critic, some, err := l.critic(ctx, batch, s)
	if err != nil {
		return err
	}
	if some {
		due = append(due, critic)
	}
	return l.StepAll(ctx, due, update, s)
}

// actor accumulates the gradient of the policy loss of some steps, −mean(δ'·Σ_t log π(t)) with δ' the whitened error: there is no ratio
// and no clip (MAGRPO §5).
func (l *learner) actor(ctx context.Context, to learn.PolicyRef, batch []*step, s *learn.Stats) error {
	var moves []loss.Move
	all := learn.PolicyBatch{To: to}
	for _, x := range batch {
		c := x.Completion
		if len(c.Tokens) == 0 {
			continue // the context was full: there is nothing to make more probable
		}
		moves = append(moves, loss.Move{Turn: x.Turn, Tokens: len(c.Tokens), Advantage: x.advantage, Behaviour: c.Logprobs})
		all.Add(x.Datum(to.Policy), x.AgentTurn.Agent)
	}
	if len(moves) == 0 {
		return nil
	}
	actor, err := loss.NewActorBatch(moves, l.group.RatioCap)
	if err != nil {
		return err
	}
	all.Loss = actor.Gradient
	if err := l.Accumulate(ctx, []learn.PolicyBatch{all}, s); err != nil {
		return err
	}
	// Without old log-probabilities to weigh with, ratios are still counted: they say how stale a buffer is.
	stats := actor.Stats()
	s.AddPass(stats.Loss, stats.RatioMean, stats.RatioMax)
	return nil
}
