package malt

import (
	"context"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// A text is a message of some pairs, with what a policy thinks of it.
type text struct {
	*learn.Answer
	reference float64 // its log-probability under the policy before the first step on pairs
	logprob   float64 // as the policy is
	weight    float64 // dLoss/dlogprob, added up over the pairs of a batch
}

// prefer takes the optimizer steps of a policy on its pairs: the mean loss of a batch, whose texts are scored before, for it couples two of them.
func (l *learner) prefer(ctx context.Context, to learn.PolicyRef, pairs []pair, update int, s *learn.Stats) error {
	texts := map[*rollout.Completion]*text{}
	all := textsOf(texts, pairs)
	if err := score(ctx, to, all, func(t *text, logprob float64) { t.reference = logprob }); err != nil {
		return err
	}
	for epoch := range l.settings.PairEpochs {
		for _, batch := range l.batches(to.Policy, len(pairs), update, l.settings.Epochs+epoch) {
			part := make([]pair, len(batch))
			for i, at := range batch {
				part[i] = pairs[at]
			}
			if err := l.descend(ctx, to, part, texts, s); err != nil {
				return err
			}
			if err := l.Step(ctx, to, update, l.pairRate(to.Policy), s); err != nil {
				return err
			}
		}
	}
	return nil
}

// pairRate is the learning rate on pairs.
func (l *learner) pairRate(p engine.Policy) float64 {
	o, own := l.Optimizers[p]
	if !own {
		o = l.Optimizer
	}
	return o.LR * l.settings.PairRate
}

// textsOf lists the texts of pairs, each once, in the order of the pairs. Those that are not known yet are put among the known.
func textsOf(known map[*rollout.Completion]*text, pairs []pair) []*text {
	var out []*text
	seen := map[*text]bool{}
	for _, p := range pairs {
		for _, a := range []*learn.Answer{p.chosen, p.rejected} {
			t := known[a.Completion]
			if t == nil {
				t = &text{Answer: a}
				known[a.Completion] = t
			}
			if !seen[t] {
				seen[t] = true
				out = append(out, t)
			}
		}
	}
	return out
}

// score asks for the log-probabilities of whole texts.
func score(ctx context.Context, to learn.PolicyRef, texts []*text, put func(*text, float64)) error {
	return learn.Forward(ctx, texts, func(*text) engine.Engine { return to.Engine },
		func(t *text) engine.Datum { return t.PlainDatum(to.Policy) },
		func(t *text, out engine.Output) {
			sum := 0.0
			for _, x := range out.Logprobs {
				sum += float64(x)
			}
			put(t, sum)
		})
}

// descend accumulates the gradient of the mean loss of some pairs.
func (l *learner) descend(ctx context.Context, to learn.PolicyRef, pairs []pair, texts map[*rollout.Completion]*text, s *learn.Stats) error {
	part := textsOf(texts, pairs)
	for _, t := range part {
		t.weight = 0
	}
	if err := score(ctx, to, part, func(t *text, logprob float64) { t.logprob = logprob }); err != nil {
		return err
	}
	total, preferred, share := 0.0, 0.0, 1/float64(len(pairs))
	for _, p := range pairs {
		chosen, rejected := texts[p.chosen.Completion], texts[p.rejected.Completion]
		x := loss.JointPreference{Winner: chosen.logprob, Loser: rejected.logprob, ReferenceWinner: chosen.reference, ReferenceLoser: rejected.reference}
		value, grad := loss.DPO(x, l.settings.Beta, 0)
		chosen.weight += share * grad
		rejected.weight -= share * grad
		if total += share * value; x.Delta() > 0 {
			preferred += share
		}
	}
	all, weights := learn.PolicyBatch{To: to}, make([]float64, len(part))
	for i, t := range part {
		all.Add(t.PlainDatum(to.Policy), t.AgentTurn.Agent)
		weights[i] = t.weight
	}
	all.Loss = loss.SequenceWeights(weights)
	if err := l.Accumulate(ctx, []learn.PolicyBatch{all}, s); err != nil {
		return err
	}
	s.AddPass(total, 1, 1)
	s.AddPreferred(preferred)
	return nil
}

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
