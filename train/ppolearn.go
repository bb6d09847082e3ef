package train

import (
	"context"
	"fmt"
	"math"

	"parley/engine"
	"parley/internal/seed"
	"parley/loss"
	"parley/rollout"
)

// learn implements [learner]: several passes over the answers of each policy in fresh random minibatches, one optimizer step
// of the policy and one of its critic for each.
func (l *ppo) learn(ctx context.Context, update int, _ []*rollout.Episode, m *Metrics) error {
	groups := map[target][]*answer{}
	var order []target
	for _, a := range l.answers {
		to := target{l.actors[a.agentTurn.Agent].Engine, a.agentTurn.Policy}
		if groups[to] == nil {
			order = append(order, to)
		}
		groups[to] = append(groups[to], a)
	}
	for epoch := range l.recipe.PPO.Epochs {
		for _, to := range order {
			rng := seed.Stream(seed.Derive(uint64(l.recipe.Seed), "shuffle "+string(to.policy), update, epoch))
			for i, batch := range minibatches(groups[to], rng.Perm(len(groups[to])), l.recipe.PPO.Minibatches) {
				if err := l.minibatch(ctx, to, batch, update, epoch == 0 && i == 0, m); err != nil {
					return err
				}
			}
		}
	}
	l.answers = nil
	return nil
}

// minibatches deals the answers in the order of perm into n parts of nearly equal size; none is empty.
func minibatches(answers []*answer, perm []int, n int) [][]*answer {
	n = min(n, len(answers))
	out := make([][]*answer, n)
	for i, p := range perm {
		k := i * n / len(perm)
		out[k] = append(out[k], answers[p])
	}
	return out
}

// minibatch takes one optimizer step of a policy and one of its critic.
func (l *ppo) minibatch(ctx context.Context, to target, batch []*answer, update int, first bool, m *Metrics) error {
	data := make([]engine.Datum, len(batch))
	terms := make([]loss.PolicyAnswer, len(batch))
	for i, a := range batch {
		data[i] = datum(to.policy, a.agentTurn, a.completion)
		terms[i] = loss.PolicyAnswer{Old: a.completion.Logprobs, Advantages: a.advantage}
	}
	loss, err := loss.NewPolicyBatch(loss.SymmetricClip(l.recipe.PPO.Clip), terms, 0)
	if err != nil {
		return err
	}
	if err := to.engine.ForwardBackward(ctx, data, loss.Gradient); err != nil {
		return fmt.Errorf("train %s: %w", to.policy, err)
	}
	stats := loss.Stats()
	if first {
		if err := l.onPolicy(to.policy, stats, m); err != nil {
			return err
		}
	}
	m.passed(stats.Loss, stats.RatioMean, stats.RatioMax)
	m.clipped(stats.ClipFraction)
	if err := l.step(ctx, to.engine, to.policy, update, l.recipe.Optimizer.LR, m); err != nil {
		return err
	}
	return l.criticBatch(ctx, to.engine, batch, update, m)
}

// onPolicy asserts that the first pass after a rollout has ratio exactly 1 (maporl.md §13): the sampler and the trainer
// computed the same log-probabilities.
func (l *ppo) onPolicy(p engine.Policy, stats loss.PolicyStats, m *Metrics) error {
	deviation := math.Max(math.Abs(stats.RatioMax-1), math.Abs(stats.RatioMin-1))
	m.FirstRatio = max(m.FirstRatio, deviation)
	if deviation != 0 {
		return fmt.Errorf("internal error: %s was sampled with other log-probabilities than it is trained with: ratio off by %g on the first pass", p, deviation)
	}
	return nil
}

// criticBatch takes one optimizer step of the value adapters of a minibatch's answers. With shared policies the answers of a
// minibatch share one critic.
func (l *ppo) criticBatch(ctx context.Context, e engine.Engine, batch []*answer, update int, m *Metrics) error {
	data := make([]engine.Datum, len(batch))
	terms := make([]loss.ValueAnswer, len(batch))
	for i, a := range batch {
		data[i] = l.valueDatum(a)
		terms[i] = loss.ValueAnswer{Old: a.values[:len(a.returns)], Returns: a.returns}
	}
	loss, err := loss.NewValueBatch(l.objective, terms, 0)
	if err != nil {
		return err
	}
	critic := data[0].Policy
	if err := e.ForwardBackward(ctx, data, loss.Gradient); err != nil {
		return fmt.Errorf("train %s: %w", critic, err)
	}
	stats := loss.Stats()
	m.valued(stats.Loss, stats.Explained)
	lr := l.recipe.PPO.ValueLR
	if lr == 0 {
		lr = l.recipe.Optimizer.LR
	}
	return l.step(ctx, e, critic, update, lr, m)
}
