package bench

import (
	"cmp"
	"context"
	"fmt"

	"parley/engine"
)

// Sampling is Batch samples of New tokens each, one of each of Batch distinct prompts.
type Sampling struct {
	Batch  int `json:"batch"`
	Prompt int `json:"prompt"`
	New    int `json:"new"`
}

func (w Sampling) check(b *Bench) error {
	return cmp.Or(positive(size{"batch", w.Batch}, size{"prompt", w.Prompt}, size{"new", w.New}), few("batch", w.Batch, w.Prompt+w.New), b.fits(w.Prompt+w.New))
}

// Generate measures it for every batch size: a row for the whole, prompts included, and one for decoding alone, which is the
// whole less the time of the prompts and the first token.
func (b *Bench) Generate(ctx context.Context, batches []int, prompt, tokens int) ([]Row, error) {
	if len(batches) == 0 {
		return nil, shapef("batch is empty; give at least one number of samples")
	}
	for _, n := range batches {
		if err := (Sampling{n, prompt, tokens}).check(b); err != nil {
			return nil, err
		}
	}
	if tokens < 2 {
		return nil, shapef("new is %d; decoding takes at least 2 tokens", tokens)
	}
	if err := b.fitsMemory(generateLoad(batches, prompt, tokens, b.Runs)); err != nil {
		return nil, err
	}
	var tasks []task
	for _, n := range batches {
		tasks = append(tasks,
			b.sampling(fmt.Sprintf("batch %d", n), Sampling{n, prompt, tokens}, 0),
			b.sampling(fmt.Sprintf("batch %d, first token", n), Sampling{n, prompt, 1}, 0))
	}
	rows, err := b.series().measure(ctx, tasks)
	if err != nil {
		return nil, err
	}
	var out []Row
	for i, n := range batches {
		out = append(out, rows[2*i], rows[2*i+1], b.decoding(n, prompt, tokens, rows[2*i], rows[2*i+1]))
	}
	return out, nil
}

// decoding is the row of the steps after the first token.
func (b *Bench) decoding(batch, prompt, tokens int, whole, first Row) Row {
	r := Row{Name: fmt.Sprintf("batch %d, decoding", batch), Allocations: whole.Allocations, Allocated: whole.Allocated}
	for i := range whole.All {
		r.All = append(r.All, max(whole.All[i]-first.All[i], 1e-9))
		r.Peaks = append(r.Peaks, whole.Peaks[i])
	}
	c := cost{tokens: batch * (tokens - 1), computed: batch * (tokens - 1), passes: tokens - 1, bytes: b.weightBytes()}
	c.flops = b.shape.forward(repeat(batch, tokenRange{prompt, tokens - 1}), c.computed, 0)
	r.rate(c, b.Limits.ReadGBs)
	return r
}

// sampling is the task of w with its requests dealt to the first adapters; 0: all to the base.
func (b *Bench) sampling(name string, w Sampling, adapters int) task {
	rank := 0
	if adapters > 0 {
		rank = AdapterRank
	}
	c := cost{tokens: w.Batch * w.New, computed: w.Batch * (w.Prompt + w.New - 1)}
	c.flops = b.shape.forward(repeat(w.Batch, tokenRange{0, w.Prompt + w.New - 1}), c.tokens, rank)
	return task{name, c, func(run int) func(context.Context) error {
		random := stream(name, run)
		reqs := make([]engine.SampleRequest, w.Batch)
		for i := range reqs {
			reqs[i] = request(b.tokens(random, i, w.Prompt), w.New, random.Uint64())
			if adapters > 0 {
				reqs[i].Policy = policyName(i * adapters / w.Batch)
			}
		}
		return b.sample(reqs)
	}}
}

// sample runs requests and checks that all of the tokens came.
func (b *Bench) sample(reqs []engine.SampleRequest) func(context.Context) error {
	return func(ctx context.Context) error {
		samples, err := b.Engine.Sample(ctx, reqs)
		if err != nil {
			return err
		}
		for i, s := range samples {
			if len(s.Tokens) != reqs[i].MaxTokens {
				return fmt.Errorf("sample %d has %d tokens, not %d", i, len(s.Tokens), reqs[i].MaxTokens)
			}
		}
		return nil
	}
}

// request samples n tokens at temperature 1; nothing ends it earlier.
func request(prompt []int, n int, s uint64) engine.SampleRequest {
	return engine.SampleRequest{Prompt: prompt, Sampling: engine.Sampling{Temperature: 1}, MaxTokens: n, Seed: s}
}

func repeat(n int, s tokenRange) []tokenRange {
	all := make([]tokenRange, n)
	for i := range all {
		all[i] = s
	}
	return all
}
