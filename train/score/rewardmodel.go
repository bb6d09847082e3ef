package score

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/learn/preference"
	"parley/rl/rollout"
	"parley/train/plan"
)

// A RewardModel scores joint responses: a value head reads the text of what all agents were asked and answered, and its value at
// the last token is the score (MARLHF, magrpo.md §5).
type RewardModel struct {
	actor    rollout.Actor // its base
	truncate bool
}

// NewRewardModel returns the model of r over the base of actor.
func NewRewardModel(r *recipe.Recipe, actor rollout.Actor) *RewardModel {
	return &RewardModel{actor, r.Truncate == "left"}
}

// read is a joint response as the model reads it.
func (w *RewardModel) read(n *rollout.Node, action int) (engine.Datum, error) {
	tokens, err := w.actor.Prompt(learn.JointText(n, n.Joint[action], true), w.truncate)
	if err != nil {
		return engine.Datum{}, fmt.Errorf("what the reward model reads: %w", err)
	}
	return learn.ValueAfter(plan.RewardPolicy, tokens), nil
}

// Reward implements [JointModel].
func (w *RewardModel) Reward(ctx context.Context, turn []rollout.ScoreItem) error {
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

// Learn takes one step on a batch of pairs, and adds their losses and how many were ordered rightly.
func (w *RewardModel) Learn(ctx context.Context, pairs []preference.Pair, lr float64, o learn.Optimizer, total *float64, right *int) error {
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
	sum, ordered, err := preference.LearnOrder(ctx, learn.PolicyRef{Engine: w.actor.Engine, Policy: plan.RewardPolicy}, data, o.Adam(lr))
	*total += sum
	*right += ordered
	return err
}
