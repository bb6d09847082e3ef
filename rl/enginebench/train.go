package bench

import (
	"cmp"
	"context"
	"fmt"

	"parley/engine"
)

// Training is LoRA training on all projections: forward and backward over Batch sequences with a loss on every token, and one
// step of AdamW.
type Training struct {
	Batch  int  `json:"batch"`
	Length Span `json:"length"`
	Rank   int  `json:"rank"`
}

// Train measures it.
func (b *Bench) Train(ctx context.Context, w Training) ([]Row, error) {
	if err := cmp.Or(w.check(b), positive(size{"rank", w.Rank})); err != nil {
		return nil, err
	}
	if err := b.adapters(ctx, 1, w.Rank, w.load()); err != nil {
		return nil, err
	}
	return b.series().measure(ctx, []task{b.training("train", w, 1)})
}

func (w Training) check(b *Bench) error {
	if w.Length.From < 2 {
		return shapef("length is %v; a sequence to train on has at least 2 tokens", w.Length)
	}
	return cmp.Or(positive(size{"batch", w.Batch}), few("batch", w.Batch, w.Length.To), b.fits(w.Length.To))
}

// training is the task of w with its sequences dealt in turns to the first adapters.
func (b *Bench) training(name string, w Training, adapters int) task {
	lengths := w.Length.Lengths(w.Batch)
	c := cost{}
	var ranges []tokenRange
	for _, n := range lengths {
		c.tokens += n
		ranges = append(ranges, tokenRange{0, n - 1})
	}
	scored := c.tokens - w.Batch
	c.computed = scored
	c.flops = b.shape.train(ranges, scored, w.Rank)
	return task{name, c, func(run int) func(context.Context) error {
		random := stream("train", run)
		data := make([]engine.Datum, w.Batch)
		for i, n := range lengths {
			data[i] = engine.Datum{Policy: policyName(i * adapters / w.Batch), Tokens: b.tokens(random, i, n), ScoreFrom: 1}
		}
		return func(ctx context.Context) error { return b.update(ctx, data, meanLoss(scored), adapters) }
	}}
}

// update takes a gradient and a step of each of the first adapters.
func (b *Bench) update(ctx context.Context, data []engine.Datum, loss engine.Loss, adapters int) error {
	if err := b.Engine.ForwardBackward(ctx, data, loss); err != nil {
		return err
	}
	for i := range adapters {
		if _, err := b.Engine.Step(ctx, policyName(i), adam); err != nil {
			return fmt.Errorf("step: %w", err)
		}
	}
	return nil
}
