package sweet

import (
	"context"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/loss"
)

// A text is a message under one prompt, with what is thought of its tokens.
type text struct {
	*learn.Answer
	reference []float64 // log-probabilities of its tokens under the base
	logps     []float64 // under the policy as it is
	weight    float64   // dLoss/dlog-probability, the same for all its tokens, added up over the pairs of a batch
}

// A contrast is two dialogues, the first of which is better. Those of a critic and of multi-turn DPO have many turns; two candidates of one turn are
// dialogues of one message each, which makes the loss that of DPO.
type contrast struct{ chosen, rejected []*text }

// A course is how a policy learns from contrasts.
type course struct {
	Objective
	epochs, batch int
	rate          float64                       // multiple of the optimizer's
	tell          func(loss, preferred float64) // is told of every batch: its loss, and the share of pairs that were ordered rightly before
}

// textsOf are those of messages.
func textsOf(all map[*message]*text, messages []*message) []*text {
	out := make([]*text, len(messages))
	for i, m := range messages {
		out[i] = all[m]
	}
	return out
}

// contrast takes the steps of a policy on pairs, epoch by epoch in a fresh order. The reference is scored once, for the base does not change:
//
//	scored   (1 + epochs) times every text, forward
//	trained  epochs times, forward and back
func (l *learner) contrast(ctx context.Context, to learn.PolicyRef, pairs []contrast, c course, s *learn.Stats) error {
	if err := score(ctx, to.Engine, distinct(pairs), engine.Base, func(t *text, x []float64) { t.reference = x }); err != nil {
		return err
	}
	for epoch := range c.epochs {
		perm := l.Shuffle(to.Policy, 0, epoch).Perm(len(pairs))
		for len(perm) > 0 {
			n := min(c.batch, len(perm))
			part := make([]contrast, n)
			for i, at := range perm[:n] {
				part[i] = pairs[at]
			}
			perm = perm[n:]
			if err := l.descend(ctx, to, part, c, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// distinct lists the texts of pairs, each once, in the order of the pairs.
func distinct(pairs []contrast) []*text {
	var out []*text
	seen := map[*text]bool{}
	for _, p := range pairs {
		for _, side := range [][]*text{p.chosen, p.rejected} {
			for _, t := range side {
				if !seen[t] {
					seen[t] = true
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// score asks for the log-probabilities of texts, token by token, at temperature 1.
func score(ctx context.Context, e engine.Engine, texts []*text, p engine.Policy, put func(*text, []float64)) error {
	return learn.Forward(ctx, texts, func(*text) engine.Engine { return e }, func(t *text) engine.Datum { return t.PlainDatum(p) },
		func(t *text, out engine.Output) {
			logps := make([]float64, len(out.Logprobs))
			for i, x := range out.Logprobs {
				logps[i] = float64(x)
			}
			put(t, logps)
		})
}

// of is a dialogue as the loss reads it.
func of(texts []*text) (d Dialogue) {
	for _, t := range texts {
		d.Logps, d.Reference = append(d.Logps, t.logps), append(d.Reference, t.reference)
	}
	return d
}

// descend takes one step on the mean loss of some pairs. It couples texts, so they are scored before: that says what each of them weighs. With the n pairs
// of a batch, a text t of N_t tokens and the weight w of its tokens in a score (package dialogue), all its tokens have the derivative
//
//	dL/dlog π = (1/n) Σ_pairs ∓β·σ(−margin)·w − nll/N⁺ for the chosen one
//
// A text that stands in several pairs is read and trained on once, with the sum.
func (l *learner) descend(ctx context.Context, to learn.PolicyRef, pairs []contrast, c course, s *learn.Stats) error {
	part := distinct(pairs)
	for _, t := range part {
		t.weight = 0
	}
	if err := score(ctx, to.Engine, part, to.Policy, func(t *text, x []float64) { t.logps = x }); err != nil {
		return err
	}
	total, preferred, share := 0.0, 0.0, 1/float64(len(pairs))
	for _, p := range pairs {
		r, err := c.Pair(of(p.chosen), of(p.rejected))
		if err != nil {
			return err
		}
		weigh(p.chosen, r.ChosenGrad, share)
		weigh(p.rejected, r.RejectedGrad, share)
		if total += share * r.Loss; r.Margin > 0 {
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
	c.tell(total, preferred)
	return l.Step(ctx, to, 0, l.peak(to.Policy, c.rate), s)
}

// weigh adds what a pair gives to its texts. All tokens of a turn have one derivative, whatever the reduction.
func weigh(texts []*text, grads [][]float64, share float64) {
	for i, t := range texts {
		if len(grads[i]) > 0 {
			t.weight += share * grads[i][0]
		}
	}
}

// peak is a multiple of a policy's learning rate.
func (l *learner) peak(p engine.Policy, rate float64) float64 {
	o, own := l.Optimizers[p]
	if !own {
		o = l.Optimizer
	}
	return o.LR * rate
}
