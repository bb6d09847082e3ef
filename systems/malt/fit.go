package malt

import (
	"context"

	"parley/engine"
	"parley/rl/learn"
)

// fit takes the optimizer steps of supervised learning: the mean over the tokens of a batch of −log π, in a fresh order in every epoch.
func (l *learner) fit(ctx context.Context, to learn.PolicyRef, rows []*learn.Answer, update int, s *learn.Stats) error {
	for epoch := range l.settings.Epochs {
		for _, batch := range l.batches(to.Policy, len(rows), update, epoch) {
			answers := make([]*learn.Answer, len(batch))
			for i, at := range batch {
				answers[i] = rows[at]
			}
			if err := l.Imitate(ctx, to, answers, update, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// batches deals so many items in a random order into batches of the settings' size, the last one smaller. pass tells the orders of an update apart.
func (l *learner) batches(p engine.Policy, items, update, pass int) [][]int {
	perm := l.Shuffle(p, update, pass).Perm(items)
	var out [][]int
	for len(perm) > 0 {
		n := min(l.settings.Batch, len(perm))
		out, perm = append(out, perm[:n]), perm[n:]
	}
	return out
}
