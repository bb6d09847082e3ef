package train

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/eval"
	"parley/internal/seed"
	"parley/loss"
	"parley/rollout"
)

// sft is supervised learning from the untrained team's best debates, the baseline of MAPoRL's Experiment 5 (§4.7). The untrained
// team debates the questions; of the debates of a pool whose last vote is right and whose answers have no flag, those
// with the highest scores of their last answers are kept; every policy learns the answers that stand in its place.
type sft struct {
	core
	invalid eval.Invalid
}

func newSFT(c core) *sft { return &sft{core: c, invalid: eval.Invalid(c.recipe.Eval.Invalid)} }

// credit implements [learner]: an answer's reward is its score.
func (l *sft) credit(_ context.Context, episodes []*rollout.Episode, _ *Metrics) error {
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				c := &n.Agents[s].Completions[0]
				if c.Reward = c.Score; len(c.Flags) > 0 {
					c.Reward = l.recipe.Reward.Penalties.Size
				}
			}
		}
	}
	return nil
}

// learn implements [learner]: the mean negative log-likelihood of the kept answers' tokens at temperature 1, in fresh random minibatches.
func (l *sft) learn(ctx context.Context, update int, episodes []*rollout.Episode, m *Metrics) error {
	debates, err := l.choose(update, episodes)
	if err != nil {
		return err
	}
	m.Kept = len(debates)
	if l.recipe.SFT.Pool == "run" {
		update = 0 // the only one that learns, at the learning rate that a run begins with
	}
	groups, order := l.examples(debates)
	for epoch := range l.recipe.SFT.Epochs {
		for _, to := range order {
			rng := seed.Stream(seed.Derive(uint64(l.recipe.Seed), "shuffle "+string(to.policy), update, epoch))
			for _, batch := range minibatches(groups[to], rng.Perm(len(groups[to])), l.recipe.SFT.Minibatches) {
				if err := l.fit(ctx, to, batch, update, m); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// examples collects the answers that each policy is to give itself.
func (l *sft) examples(debates []*rollout.Episode) (groups map[target][]*answer, order []target) {
	groups = map[target][]*answer{}
	for _, e := range debates {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				agentTurn := &n.Agents[s]
				to := target{l.actors[agentTurn.Agent].Engine, l.sharing.policy(n.Turn, agentTurn.Agent)}
				if to.policy == engine.Base || len(agentTurn.Completions[0].Tokens) == 0 {
					continue
				}
				if groups[to] == nil {
					order = append(order, to)
				}
				groups[to] = append(groups[to], &answer{turn: n.Turn, agentTurn: agentTurn, completion: &agentTurn.Completions[0]})
			}
		}
	}
	return groups, order
}

// fit takes one optimizer step of a policy.
func (l *sft) fit(ctx context.Context, to target, batch []*answer, update int, m *Metrics) error {
	data := make([]engine.Datum, len(batch))
	sequences := make([]loss.TokenSequence[float32], len(batch))
	for i, a := range batch {
		data[i] = datum(to.policy, a.agentTurn, a.completion)
		data[i].Sampling = engine.Sampling{}
		sequences[i] = loss.TokenSequence[float32]{Old: a.completion.Logprobs, Advantages: []float64{1}}
	}
	loss, err := loss.NewTokenBatch(loss.TokenObjective{Loss: loss.REINFORCE, Reduction: loss.TokenMean}, sequences)
	if err != nil {
		return err
	}
	if err := to.engine.ForwardBackward(ctx, data, loss.Gradient); err != nil {
		return fmt.Errorf("train %s: %w", to.policy, err)
	}
	m.fitted(loss.Stats().Loss)
	return l.step(ctx, to.engine, to.policy, update, l.recipe.Optimizer.LR, m)
}
