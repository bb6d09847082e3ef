package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// AdapterRank is that of adapters that are sampled, and of those that Adapters trains.
const AdapterRank = 8

// Adapters is a batch of sampling and one of training, with its rows spread over a number of adapters.
type Adapters struct {
	Counts   []int    `json:"adapters"` // numbers of adapters; the first is what the others are compared with
	Sampling Sampling `json:"sampling"`
	Training Training `json:"training"`
}

// Adapters measures it: a row of sampling and one of training for each number of adapters.
func (b *Bench) Adapters(ctx context.Context, w Adapters) ([]Row, error) {
	if len(w.Counts) == 0 {
		return nil, shapef("adapters is empty; give at least one number of them")
	}
	if err := cmp.Or(w.Sampling.check(b), w.Training.check(b), positive(size{"adapters", slices.Min(w.Counts)})); err != nil {
		return nil, err
	}
	most := slices.Max(w.Counts)
	if w.Sampling.Batch < most || w.Training.Batch < most {
		return nil, shapef("%d adapters need as many rows: %d samples and %d sequences are too few", most, w.Sampling.Batch, w.Training.Batch)
	}
	w.Training.Rank = AdapterRank
	if err := b.adapters(ctx, most, AdapterRank, w.load()); err != nil {
		return nil, err
	}
	var tasks []task
	for _, n := range w.Counts {
		tasks = append(tasks,
			b.sampling(fmt.Sprintf("sample, %d adapters", n), w.Sampling, n),
			b.training(fmt.Sprintf("train, %d adapters", n), w.Training, n))
	}
	rows, err := b.series().measure(ctx, tasks)
	for i := range rows {
		rows[i].Ratio = rows[i].Seconds / rows[i%2].Seconds
	}
	return rows, err
}
