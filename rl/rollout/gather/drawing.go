package gather

import (
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
