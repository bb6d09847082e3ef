package rollout

import (
	"slices"

	"parley/engine"
	"parley/rollout/gather"
)

// Progress is how far the turn is that the engines of a rollout draw.
type Progress = gather.Progress

// A drawing watches the completions of one turn grow.
type drawing struct {
	watch func(Progress) // nil: nobody does
	now   Progress
}

// newDrawing watches a turn over its live nodes.
func (r *Runner) newDrawing(live []frontier) *drawing {
	d := &drawing{watch: r.Watch, now: Progress{Turn: live[0].node.Turn}}
	for _, f := range live {
		d.now.Turn = min(d.now.Turn, f.node.Turn)
		for _, a := range f.node.Agents {
			if a.Speaker == "" {
				d.now.Completions += a.samples
			}
		}
	}
	return d
}

// tokens hears of every token of reqs; nil where nobody watches.
func (d *drawing) tokens(reqs []engine.SampleRequest) func(i, token int) error {
	if d.watch == nil {
		return nil
	}
	drawn := make([]int, len(reqs))
	return func(i, token int) error {
		d.now.Tokens++
		if drawn[i]++; drawn[i] == reqs[i].MaxTokens || slices.Contains(reqs[i].Stop, token) {
			d.now.Whole++
		}
		d.watch(d.now)
		return nil
	}
}

// more hears of every token of completions that go on behind results of tools; they have been counted. nil where nobody watches.
func (d *drawing) more() func(i, token int) error {
	if d.watch == nil {
		return nil
	}
	return func(int, int) error {
		d.now.Tokens++
		d.watch(d.now)
		return nil
	}
}
