package gather

import (
	"context"
	"slices"

	"parley/engine"
)

// A Drawing watches the completions of one turn grow.
type Drawing struct {
	Watch func(Progress) // nil: nobody does
	Now   Progress
}

// Tokens hears of every token of reqs; nil where nobody watches.
func (d *Drawing) Tokens(reqs []engine.SampleRequest) func(i, token int) error {
	if d.Watch == nil {
		return nil
	}
	drawn := make([]int, len(reqs))
	return func(i, token int) error {
		d.Now.Tokens++
		if drawn[i]++; drawn[i] == reqs[i].MaxTokens || slices.Contains(reqs[i].Stop, token) {
			d.Now.Whole++
		}
		d.Watch(d.Now)
		return nil
	}
}

// More hears of every token of completions that go on behind results of tools; they have been counted. nil where nobody watches.
func (d *Drawing) More() func(i, token int) error {
	if d.Watch == nil {
		return nil
	}
	return func(int, int) error {
		d.Now.Tokens++
		d.Watch(d.Now)
		return nil
	}
}

// Sample is e.Sample; who hears of tokens gets every one of an engine that hands them out.
func Sample(ctx context.Context, e engine.Engine, reqs []engine.SampleRequest, hear ...func(i, token int) error) ([]engine.Sample, error) {
	hear = slices.DeleteFunc(hear, func(f func(i, token int) error) bool { return f == nil })
	s, ok := engine.As[engine.Streamer](e)
	if !ok || len(hear) == 0 {
		return e.Sample(ctx, reqs)
	}
	return s.Stream(ctx, reqs, func(i, token int) error {
		for _, f := range hear {
			if err := f(i, token); err != nil {
				return err
			}
		}
		return nil
	})
}
