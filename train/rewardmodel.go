package train

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/internal/seed"
	"parley/learn"
	"parley/learn/preference"
	"parley/recipe"
	"parley/rollout"
)

// rewardPolicy is the value adapter that scores joint responses.
const rewardPolicy engine.Policy = "value-reward"

// A rewardModel scores joint responses: a value head reads the text of what all agents were asked and answered, and its value at
// the last token is the score (MARLHF, magrpo.md §5).
type rewardModel struct {
	actor    rollout.Actor // its base
	truncate bool
}

func newRewardModel(r *recipe.Recipe, actor rollout.Actor) *rewardModel {
	return &rewardModel{actor, r.Truncate == "left"}
}

// read is a joint response as the model reads it.
func (w *rewardModel) read(n *rollout.Node, action int) (engine.Datum, error) {
	tokens, err := w.actor.Prompt(learn.JointText(n, n.Joint[action], true), w.truncate)
	if err != nil {
		return engine.Datum{}, fmt.Errorf("what the reward model reads: %w", err)
	}
	return learn.ValueAfter(rewardPolicy, tokens), nil
}

// Reward implements [score.JointModel].
func (w *rewardModel) Reward(ctx context.Context, turn []rollout.ScoreItem) error {
	var data []engine.Datum
	for _, t := range turn {
		for k := range t.Node.Joint {
			d, err := w.read(t.Node, k)
			if err != nil {
				return fmt.Errorf("problem %s: %w", t.Problem.ID, err)
			}
			data = append(data, d)
		}
	}
	out, err := w.actor.Engine.Forward(ctx, data)
	if err != nil {
		return fmt.Errorf("score joint responses: %w", err)
	}
	for _, t := range turn {
		for k := range t.Node.Joint {
			t.Node.Rewards[k], out = float64(out[0].Values[0]), out[1:]
		}
	}
	return nil
}

// trainRewardModel collects pairs of joint responses by the team of an iteration and trains the model on them.
func (l *loop) trainRewardModel(ctx context.Context, iteration int) error {
	s := l.session
	o := s.recipe.Reward.Model
	problems := s.order.problems[:min(o.Problems, len(s.order.problems))]
	episodes, err := l.candidates(ctx, "preferences", iteration, problems)
	if err != nil {
		return err
	}
	episodes, err = scored(episodes)
	if err != nil {
		return fmt.Errorf("pairs for the reward model: %w", err)
	}
	var pairs []preference.Pair
	for _, e := range episodes {
		rng := seed.Stream(seed.Derive(uint64(s.recipe.Seed), "reward model pairs", iteration, e.Index))
		pairs = append(pairs, preference.PairsOf(s.recipe.Preference, e.Nodes[0], 1, rng)...)
	}
	if len(pairs) == 0 {
		return fmt.Errorf("the reward model has nothing to learn from: in each of %d problems, all joint responses earn the same", len(problems))
	}
	var loss float64
	var right int
	for epoch := range o.Epochs {
		rng := seed.Stream(seed.Derive(uint64(s.recipe.Seed), "shuffle reward model", iteration, epoch))
		rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		loss, right = 0, 0
		for rest := pairs; len(rest) > 0; {
			n := min(o.Batch, len(rest))
			if err := s.rewardModel.learn(ctx, rest[:n], o.LR, s.recipe.Optimizer, &loss, &right); err != nil {
				return err
			}
			rest = rest[n:]
		}
	}
	l.observe(Event{Kind: Note, Phase: l.phase, Message: fmt.Sprintf("reward model: %d pairs of %d problems, mean loss %.3f, %.1f %% ordered as their rewards before they were learned from",
		len(pairs), len(episodes), loss/float64(len(pairs)), 100*float64(right)/float64(len(pairs)))})
	return nil
}

// learn takes one step on a batch of pairs, and adds their losses and how many were ordered rightly.
func (w *rewardModel) learn(ctx context.Context, pairs []preference.Pair, lr float64, o learn.Optimizer, total *float64, right *int) error {
	data := make([]engine.Datum, 0, 2*len(pairs))
	for _, p := range pairs {
		for _, action := range []int{p.Winner, p.Loser} {
			d, err := w.read(p.Node, action)
			if err != nil {
				return err
			}
			data = append(data, d)
		}
	}
	sum, ordered, err := preference.LearnOrder(ctx, learn.PolicyRef{Engine: w.actor.Engine, Policy: rewardPolicy}, data, o.Adam(lr))
	*total += sum
	*right += ordered
	return err
}
