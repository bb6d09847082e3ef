package train

import (
	"context"

	"parley/train/lineup"
	"parley/train/together"
)

// byItself does a run whose algorithm plays by itself.
func (r *runner) byItself(ctx context.Context, l lineup.Lineup) (*Result, error) {
	j := together.Job{
		Lineup: l, Folder: r.run, Updates: r.updates(), AcceptLoss: r.options.AcceptLoss, Note: r.options.note, Report: r.newReport(l), Speakers: speakers(r.recipe),
		Updated: func(m *Metrics, t *Timing) {
			r.options.Observe(Event{Kind: Updated, Phase: "team", Update: m.Update, Updates: r.updates(), Metrics: m, Timing: t})
		},
	}
	rep, text, err := together.Run(ctx, j)
	return &Result{Dir: j.Dir(), Report: rep, Text: text}, err
}
