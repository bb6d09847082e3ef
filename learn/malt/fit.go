package malt

import (
	"context"

	"parley/engine"
	"parley/learn"
	"parley/loss"
)

// datum is a message as a policy learns it: at temperature 1, over the whole vocabulary.
func datum(p engine.Policy, a *learn.Answer) engine.Datum {
	d := a.Datum(p)
	d.Sampling = engine.Sampling{}
	return d
}

// fit takes the optimizer steps of supervised learning: the mean over the tokens of a batch of −log π, in a fresh order in every epoch.
func (l *learner) fit(ctx context.Context, to learn.PolicyRef, rows []*learn.Answer, update int, s *learn.Stats) error {
	for epoch := range l.settings.Epochs {
		for _, batch := range l.batches(to.Policy, len(rows), update, epoch) {
			all := learn.PolicyBatch{To: to}
			sequences := make([]loss.TokenSequence[float32], len(batch))
			for i, at := range batch {
				all.Add(datum(to.Policy, rows[at]), rows[at].AgentTurn.Agent)
				sequences[i] = loss.TokenSequence[float32]{Old: rows[at].Completion.Logprobs, Advantages: []float64{1}}
			}
			likelihood, err := loss.NewTokenBatch(loss.TokenObjective{Loss: loss.REINFORCE, Reduction: loss.TokenMean}, sequences)
			if err != nil {
				return err
			}
			all.Loss = likelihood.Gradient
			if err := l.Accumulate(ctx, []learn.PolicyBatch{all}, s); err != nil {
				return err
			}
			s.AddLoss(likelihood.Stats().Loss)
			if err := l.Step(ctx, to, update, l.Optimizer.LR, s); err != nil {
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
