package bench

import (
	"cmp"
	"context"
	"slices"

	"parley/engine"
)

// A Group is Samples completions of one prompt.
type Group struct {
	Samples int  `json:"samples"`
	Prompt  int  `json:"prompt"`
	New     Span `json:"new"`
	Rank    int  `json:"rank"`
}

// Group measures sampling such a group, the prompt included, and training on one, with the loss on the completions.
func (b *Bench) Group(ctx context.Context, w Group) ([]Row, error) {
	err := cmp.Or(positive(size{"samples", w.Samples}, size{"prompt", w.Prompt}, size{"new", w.New.From}, size{"rank", w.Rank}), few("samples", w.Samples, w.Prompt+w.New.To), b.fits(w.Prompt+w.New.To))
	if err != nil {
		return nil, err
	}
	if err := b.adapters(ctx, 1, w.Rank, w.load(b.Runs)); err != nil {
		return nil, err
	}
	return b.series().measure(ctx, []task{b.groupSampling(w), b.groupTraining(w)})
}

// tokenRanges are what a group computes: its prompt once, and after it what leads to the last token of every completion.
func (w Group) tokenRanges() (all []tokenRange, generated int) {
	all = []tokenRange{{0, w.Prompt}}
	for _, n := range w.New.Lengths(w.Samples) {
		all = append(all, tokenRange{w.Prompt, n - 1})
		generated += n
	}
	return all, generated
}

func (b *Bench) groupSampling(w Group) task {
	ranges, generated := w.tokenRanges()
	c := cost{tokens: generated, computed: w.Prompt + generated - w.Samples, flops: b.shape.forward(ranges, generated, 0)}
	return task{"sample", c, func(run int) func(context.Context) error {
		random := stream("group", run)
		prompt := b.tokens(random, run, w.Prompt)
		reqs := make([]engine.SampleRequest, w.Samples)
		for i, n := range w.New.Lengths(w.Samples) {
			reqs[i] = request(prompt, n, random.Uint64())
		}
		return b.sample(reqs)
	}}
}

func (b *Bench) groupTraining(w Group) task {
	ranges, generated := w.tokenRanges()
	c := cost{tokens: w.Samples*w.Prompt + generated, computed: w.Prompt + generated - w.Samples, flops: b.shape.train(ranges, generated, w.Rank)}
	return task{"train", c, func(run int) func(context.Context) error {
		random := stream("group", run)
		prompt := b.tokens(random, run, w.Prompt)
		data := make([]engine.Datum, w.Samples)
		for i, n := range w.New.Lengths(w.Samples) {
			data[i] = engine.Datum{Policy: policyName(0), Tokens: slices.Concat(prompt, b.tokens(random, i, n)), ScoreFrom: w.Prompt}
		}
		return func(ctx context.Context) error { return b.update(ctx, data, meanLoss(generated), 1) }
	}}
}
