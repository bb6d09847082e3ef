package rollout

import "parley/rl/rollout/gather"

// Progress is how far the turn is that the engines of a rollout draw.
type Progress = gather.Progress

// newDrawing watches a turn over its live nodes.
func (r *Runner) newDrawing(live []frontier) *gather.Drawing {
	d := &gather.Drawing{Watch: r.Watch, Now: Progress{Turn: live[0].node.Turn}}
	for _, f := range live {
		d.Now.Turn = min(d.Now.Turn, f.node.Turn)
		for _, a := range f.node.Agents {
			if a.Speaker == "" {
				d.Now.Completions += a.samples
			}
		}
	}
	return d
}
