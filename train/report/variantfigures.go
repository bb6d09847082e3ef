package report

import (
	"fmt"

	"parley/internal/plotio"
	"parley/runs"
)

// A group is what one panel shows.
type group struct {
	name string
	rows []runs.Row
}

// ExperimentFigures draws the means of an experiment's variants, a panel for each with all its systems, and its training over the updates. The
// scores have one more, in front: what training made of every variant. A single variant is drawn as a run is.
func ExperimentFigures(report runs.Report, trainings []Training) (map[string][]byte, error) {
	variants := byVariant(report.Rows)
	if len(variants) < 2 {
		return Figures(report, meanUpdates(trainings))
	}
	curves := figure{"curve", "", 2, func(variant string, _ []runs.Row) (*plotio.Chart, plotio.Size, error) {
		p, size, err := curve(meanUpdates(ofVariant(trainings, variant)))
		if p != nil {
			p.Title.Text = variant
		}
		return p, size, err
	}}
	var all []drawn
	for _, f := range append(figures(report), curves) {
		groups := variants
		if f.name == "accuracy" {
			groups = append([]group{trained(report.Rows)}, variants...)
		}
		p, size, err := f.panels(groups)
		if err != nil {
			return nil, err
		}
		if len(p.plots) > 0 {
			all = append(all, drawn{f.name, p, size})
		}
	}
	return files(all)
}

// trained are the trained teams of all variants, told apart by these.
func trained(rows []runs.Row) group {
	g := group{name: runs.Trained}
	for _, row := range rows {
		if row.System == runs.Trained {
			row.System = row.Variant
			g.rows = append(g.rows, row)
		}
	}
	return g
}

// byVariant groups rows, in the order in which the variants appear.
func byVariant(rows []runs.Row) []group {
	var out []group
	for _, row := range rows {
		if len(out) == 0 || out[len(out)-1].name != row.Variant {
			out = append(out, group{name: row.Variant})
		}
		g := &out[len(out)-1]
		g.rows = append(g.rows, row)
	}
	return out
}

// panels plots a panel for each group with something to show.
func (f figure) panels(groups []group) (panels, plotio.Size, error) {
	var out panels
	var size plotio.Size
	for _, g := range groups {
		p, own, err := f.plot(g.name, g.rows)
		if err != nil {
			return out, size, fmt.Errorf("draw %s of %s: %w", f.name, g.name, err)
		}
		if p != nil {
			out.plots = append(out.plots, p)
			size.Width, size.Height = max(size.Width, own.Width), max(size.Height, own.Height)
		}
	}
	out.columns = max(1, min(f.columns, len(out.plots)))
	out.level()
	plotio.Align(out.plots)
	return out, out.size(size), nil
}
