package ppo

import (
	"context"
	"fmt"
	"math"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// train takes the steps: several passes over the answers of each policy in fresh random minibatches, one optimizer step
// of the policy and one of its critic for each. Policies take turns within a pass; what one learns does not depend on the others.
func (l *learner) train(ctx context.Context, update int, _ []*rollout.Episode, s *learn.Stats) error {
	policies := learn.ByPolicy(l.answers, func(a *answer) learn.PolicyRef {
		return learn.PolicyRef{Engine: l.engineOf(a), Policy: a.AgentTurn.Policy}
	})
	for epoch := range l.settings.Epochs {
		for _, p := range policies {
			perm := l.Shuffle(p.To.Policy, update, epoch).Perm(len(p.Samples))
			for i, batch := range learn.Minibatches(p.Samples, perm, l.settings.Minibatches) {
				if err := l.minibatch(ctx, p.To, batch, update, epoch == 0 && i == 0, s); err != nil {
					return err
				}
			}
		}
	}
	l.answers = nil
	return nil
}

// minibatch takes one optimizer step of a policy and one of its critic. first says that the policy has not moved since the rollout.
func (l *learner) minibatch(ctx context.Context, to learn.PolicyRef, batch []*answer, update int, first bool, s *learn.Stats) error {
	all := learn.PolicyBatch{To: to}
	terms := make([]loss.TokenSequence[float32], len(batch))
	for i, a := range batch {
		terms[i] = l.sequence(a)
		all.Add(a.Datum(to.Policy), a.AgentTurn.Agent)
	}
	policy, err := loss.NewPolicyBatch(l.loss, terms, 0)
	if err != nil {
		return err
	}
	all.Loss = policy.Gradient
	if err := l.Accumulate(ctx, []learn.PolicyBatch{all}, s); err != nil {
		return err
	}
	stats := policy.Stats()
	if first {
		if err := l.onPolicy(to, stats, s); err != nil {
			return err
		}
	}
	s.AddPass(stats.Loss, stats.RatioMean, stats.RatioMax)
	s.AddClipShare(stats.ClipFraction)
	critic, err := l.criticBatch(ctx, to.Engine, batch, s)
	if err != nil {
		return err
	}
	return l.StepAll(ctx, []learn.Due{{To: to, Peak: l.Optimizer.LR}, critic}, update, s)
}

// sequence is an answer as the policy loss sees it. GSPO has one advantage for all tokens, as it has one ratio: their mean.
func (l *learner) sequence(a *answer) loss.TokenSequence[float32] {
	s := loss.TokenSequence[float32]{Old: a.Completion.Logprobs, Advantages: a.advantage}
	switch l.loss.Loss {
	case loss.GRPO:
		s.Reference = a.Reference
	case loss.GSPO:
		s.Advantages = []float64{sum(a.advantage) / float64(len(a.advantage))}
	}
	return s
}

// onPolicy asserts that the first pass after a rollout has ratio exactly 1 (MAPoRL §13): the sampler and the trainer
// computed the same log-probabilities. Of an engine elsewhere they may be apart as far as it says.
func (l *learner) onPolicy(to learn.PolicyRef, stats loss.PolicyStats, s *learn.Stats) error {
	deviation := math.Max(math.Abs(stats.RatioMax-1), math.Abs(stats.RatioMin-1))
	s.FirstRatio = max(s.FirstRatio, deviation)
	// A ratio is the exponential of a difference of log-probabilities, so an agreement of δ nats allows exp(δ) − 1.
	allowed := 0.0
	if elsewhere, ok := engine.As[engine.Remote](to.Engine); ok {
		allowed = math.Expm1(elsewhere.Agreement())
	}
	switch {
	case deviation <= allowed:
		return nil
	case allowed > 0:
		return fmt.Errorf("%s was sampled with other log-probabilities than it is trained with: ratio off by %g on the first pass, where the engine allows %.3g", to.Policy, deviation, allowed)
	}
	return fmt.Errorf("internal error: %s was sampled with other log-probabilities than it is trained with: ratio off by %g on the first pass", to.Policy, deviation)
}

// criticBatch accumulates the gradient of the value adapter of a minibatch's answers: positions are the n tokens, or n+1 where the reward
// stands past the last, each with the old value V and the target G (MAPoRL §4). The answers of one policy have one critic: both are
// shared alike.
func (l *learner) criticBatch(ctx context.Context, e engine.Engine, batch []*answer, s *learn.Stats) (learn.Due, error) {
	data := make([]engine.Datum, len(batch))
	terms := make([]loss.ValueAnswer, len(batch))
	for i, a := range batch {
		data[i] = l.valueDatum(a)
		terms[i] = loss.ValueAnswer{Old: a.values[:len(a.returns)], Returns: a.returns}
	}
	values, err := loss.NewValueBatch(l.objective, terms, 0)
	if err != nil {
		return learn.Due{}, err
	}
	critic := learn.PolicyRef{Engine: e, Policy: data[0].Policy}
	if err := e.ForwardBackward(ctx, data, values.Gradient); err != nil {
		return learn.Due{}, fmt.Errorf("train %s: %w", critic.Policy, err)
	}
	stats := values.Stats()
	s.AddValuePass(stats.Loss, stats.Explained)
	lr := l.settings.ValueLR
	if lr == 0 {
		lr = l.Optimizer.LR
	}
	return learn.Due{To: critic, Peak: lr}, nil
}
