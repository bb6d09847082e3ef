package train

import (
	"cmp"
	"context"
	"fmt"

	"parley/internal/seed"
	"parley/recipe"
	"parley/rl/learn/preference"
	"parley/train/failures"
)

// trainRewardModel collects pairs of joint responses by the team of an iteration and trains the model on them.
func (l *loop) trainRewardModel(ctx context.Context, iteration int) error {
	s := l.team
	o := s.Recipe.Reward.Model
	problems := s.Training.Problems[:min(o.Problems, len(s.Training.Problems))]
	episodes, err := l.candidates(ctx, "preferences", iteration, problems)
	if err != nil {
		return err
	}
	for _, n := range l.failures.Notes(l.done+1, episodes) {
		l.observe(Event{Kind: Note, Phase: l.phase, Message: n})
	}
	episodes, err = failures.Scored(episodes, s.Recipe.Training.FailedShare)
	if err != nil {
		return fmt.Errorf("pairs for the reward model: %w", err)
	}
	var pairs []preference.Pair
	least, most := s.Scorer.ProcessedRange()
	for _, e := range episodes {
		rng := seed.Stream(seed.Derive(uint64(s.Recipe.Seed), "reward model pairs", iteration, e.Index))
		pairs = append(pairs, preference.PairsOf(recipe.Section[preference.Settings](s.Recipe), e.Nodes[0], most-least, 1, rng)...)
	}
	if len(pairs) == 0 {
		return fmt.Errorf("the reward model has nothing to learn from: in each of %d problems, all joint responses earn the same", len(problems))
	}
	var loss float64
	var right int
	for epoch := range o.Epochs {
		rng := seed.Stream(seed.Derive(uint64(s.Recipe.Seed), "shuffle reward model", iteration, epoch))
		rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		loss, right = 0, 0
		for rest := pairs; len(rest) > 0; {
			n := min(o.Batch, len(rest))
			if err := s.RewardModel.Learn(ctx, rest[:n], cmp.Or(o.LR, s.Recipe.Optimizer.LR), s.Recipe.Optimizer, &loss, &right); err != nil {
				return err
			}
			rest = rest[n:]
		}
	}
	l.observe(Event{Kind: Note, Phase: l.phase, Message: fmt.Sprintf("reward model: %d pairs of %d problems, mean loss %.3f, %.1f %% ordered as their rewards before they were learned from",
		len(pairs), len(episodes), loss/float64(len(pairs)), 100*float64(right)/float64(len(pairs)))})
	return nil
}
