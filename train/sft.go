package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"parley/engine"
	"parley/eval"
	"parley/learn"
	"parley/rollout"
	"parley/seed"
)

// sft is supervised learning from the untrained team's best debates, the baseline of MAPoRL's Experiment 5 (§4.7). The untrained
// team debates the questions of an update; of the debates whose last vote is right and whose answers have no flag, those
// with the highest scores of their last answers are kept; every policy learns the answers that stand in its place.
type sft struct {
	core
	invalid eval.Invalid
	kept    []*rollout.Episode
}

func newSFT(c core) *sft { return &sft{core: c, invalid: eval.Invalid(c.recipe.Eval.Invalid)} }

// credit implements [learner]: an answer's reward is its score, and debates are chosen.
func (l *sft) credit(_ context.Context, episodes []*rollout.Episode, m *Metrics) error {
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Seats {
				c := &n.Seats[s].Completions[0]
				if c.Reward = c.Score; len(c.Flags) > 0 {
					c.Reward = l.recipe.Reward.Penalties.Size
				}
			}
		}
	}
	l.kept = best(episodes, l.recipe.SFT.Keep, l.invalid)
	m.Kept = len(l.kept)
	return nil
}

// best returns the share of the episodes with the highest mean score of the last turn, of those without flags whose last vote is
// right; of equal ones the first.
func best(episodes []*rollout.Episode, share float64, invalid eval.Invalid) []*rollout.Episode {
	var good []*rollout.Episode
	for _, e := range episodes {
		if unflagged(e) && eval.Vote(answersOf(e.Nodes[len(e.Nodes)-1], 0), e.Problem.Truth, invalid) == 1 {
			good = append(good, e)
		}
	}
	slices.SortStableFunc(good, func(a, b *rollout.Episode) int { return cmp.Compare(lastScore(b), lastScore(a)) })
	return good[:min(len(good), int(math.Ceil(share*float64(len(episodes)))))]
}

func unflagged(e *rollout.Episode) bool {
	for _, n := range e.Nodes {
		for s := range n.Seats {
			if len(n.Seats[s].Completions[0].Flags) > 0 {
				return false
			}
		}
	}
	return true
}

// lastScore is the mean score of an episode's last answers.
func lastScore(e *rollout.Episode) float64 {
	seats, sum := e.Nodes[len(e.Nodes)-1].Seats, 0.0
	for s := range seats {
		sum += seats[s].Completions[0].Score
	}
	return sum / float64(len(seats))
}

// learn implements [learner]: the mean negative log-likelihood of the kept answers' tokens at temperature 1, in fresh random minibatches.
func (l *sft) learn(ctx context.Context, update int, _ []*rollout.Episode, m *Metrics) error {
	groups, order := l.examples()
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
	l.kept = nil
	return nil
}

// examples collects the answers that each policy is to give itself.
func (l *sft) examples() (groups map[target][]*answer, order []target) {
	groups = map[target][]*answer{}
	for _, e := range l.kept {
		for _, n := range e.Nodes {
			for s := range n.Seats {
				said := &n.Seats[s]
				to := target{l.seats[said.Agent].Engine, l.sharing.policy(n.Turn, said.Agent)}
				if to.policy == engine.Base || len(said.Completions[0].Tokens) == 0 {
					continue
				}
				if groups[to] == nil {
					order = append(order, to)
				}
				groups[to] = append(groups[to], &answer{turn: n.Turn, said: said, completion: &said.Completions[0]})
			}
		}
	}
	return groups, order
}

// fit takes one optimiser step of a policy.
func (l *sft) fit(ctx context.Context, to target, batch []*answer, update int, m *Metrics) error {
	data := make([]engine.Datum, len(batch))
	sequences := make([]learn.TokenSequence[float32], len(batch))
	for i, a := range batch {
		data[i] = datum(to.policy, a.said, a.completion)
		data[i].Sampling = engine.Sampling{}
		sequences[i] = learn.TokenSequence[float32]{Old: a.completion.Logprobs, Advantages: []float64{1}}
	}
	loss, err := learn.NewTokenBatch(learn.TokenObjective{Loss: learn.REINFORCE, Reduction: learn.TokenMean}, sequences)
	if err != nil {
		return err
	}
	if err := to.engine.ForwardBackward(ctx, data, loss.Gradient); err != nil {
		return fmt.Errorf("train %s: %w", to.policy, err)
	}
	m.fitted(loss.Stats().Loss)
	return l.step(ctx, to.engine, to.policy, update, l.recipe.Optimiser.LR, m)
}
