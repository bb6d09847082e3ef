package group

import (
	"cmp"
	"context"
	"slices"

	"parley/rl/learn"
	"parley/rl/loss"
)

// A minibatch is what one policy takes a step on: samples of one turn, or of all turns of whole episodes.
type minibatch struct {
	learn.PolicyBatch
	turn, part int // part counts the minibatches of one policy and turn in a drain
	group      *loss.GroupBatch
}

// compare orders minibatches by turn, and in it by part.
func (b minibatch) compare(c minibatch) int {
	return cmp.Or(cmp.Compare(b.turn, c.turn), cmp.Compare(b.part, c.part))
}

// drain takes the optimizer steps of full buffers, each cut into minibatches of at most group.train_batch samples of one turn, mixed with a
// stream of the policy, the update and the steps before: turn by turn, the first minibatch of each policy together, then the second of each. Of
// turn 1 sampling has kept what training would compute, as long as it is alone and first.
func (l *learner) drain(ctx context.Context, full []learn.PolicySamples[nodeSample], update int, s *learn.Stats) error {
	var all []minibatch
	for _, f := range full {
		rng := l.Shuffle(f.To.Policy, update, s.OptimizerSteps+len(all))
		batches := learn.StepBatches(l.settings, f.Samples, func(s nodeSample) int { return s.Turn }, rng.Shuffle)
		part := 0
		for i, samples := range batches {
			turn := l.settings.StepTurn(samples[0].Turn)
			if i > 0 && turn == l.settings.StepTurn(batches[i-1][0].Turn) {
				part++
			} else {
				part = 0
			}
			b, err := l.minibatch(f.To, samples)
			if err != nil {
				return err
			}
			b.turn, b.part = turn, part
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, minibatch.compare)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].compare(all[0]) == 0 {
			n++
		}
		if err := l.round(ctx, all[:n], update, s); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// minibatch prepares the loss of some groups of one policy, the mean of theirs. Its data are the completions of all groups in order.
func (l *learner) minibatch(to learn.PolicyRef, samples []nodeSample) (minibatch, error) {
	var units []loss.NodeSample
	b := minibatch{PolicyBatch: learn.PolicyBatch{To: to}}
	factors, err := l.factors(samples)
	if err != nil {
		return b, err
	}
	for i, s := range samples {
		unit := s.NodeSample
		if factors != nil {
			unit.Factor = factors[i]
		}
		units = append(units, unit)
		for _, d := range s.data {
			b.Add(d, s.agent)
		}
	}
	if b.group, err = loss.NewGroupBatch(units, loss.GroupObjective{Reduction: loss.Reduction(l.settings.Reduction), Cap: l.settings.RatioCap}); err != nil {
		return b, err
	}
	b.Loss = b.group.Gradient
	return b, nil
}

// round takes one step of each of some policies. Their gradients are computed in one call an engine: agents who were asked alike share the
// computation of their prompts, and a policy's gradient is what it would be by itself. The step of a policy without an advantage changes nothing:
// momentum and weight decay would move it, though nothing was better or worse than anything else.
func (l *learner) round(ctx context.Context, batches []minibatch, update int, s *learn.Stats) error {
	together := make([]learn.PolicyBatch, len(batches))
	for i, b := range batches {
		together[i] = b.PolicyBatch
	}
	if err := l.Accumulate(ctx, together, s); err != nil {
		return err
	}
	due := make([]learn.Due, len(batches))
	for i, b := range batches {
		due[i] = learn.Due{To: b.To, Peak: l.Optimizer.LR, Still: b.group.Still()}
	}
	if err := l.StepAll(ctx, due, update, s); err != nil {
		return err
	}
	for _, b := range batches {
		stats := b.group.Stats()
		s.AddPass(stats.Loss, stats.RatioMean, stats.RatioMax)
	}
	return nil
}
