package report

// This file draws a run: what the reports of MAPoRL and MAGRPO show as figures, from the run's report and its metrics.
//
//	accuracy.go     score after every turn, with intervals; MAPoRL's Figure 2
//	transitions.go  right and wrong answers from turn to turn; MAPoRL's Figures 3 and 4
//	incentives.go   the moves that incentives reward or punish; MAPoRL's Tables 3 and 4
//	curves.go       training over its updates; how programs use their helpers
//	panels.go       how a team plays a game, over its updates
//	roles.go        what each agent gives to the steps
//	variantfigures.go  several variants beside each other
//
// Every picture is a PNG, an SVG and a PDF file. One that would show nothing is left out.

import (
	"fmt"
	"maps"

	"gonum.org/v1/plot/vg"

	"parley/internal/plotio"
	"parley/runs"
)

// Sizes of plots without their keys: of one alone, and of a panel among many.
var (
	wide  = plotio.Size{Width: 6.5 * vg.Inch, Height: 4 * vg.Inch}
	panel = plotio.Size{Width: 4.2 * vg.Inch, Height: 2.7 * vg.Inch}
)

// A drawn is a picture with its name; its drawing is nil where there is nothing to show.
type drawn struct {
	name    string
	drawing plotio.Drawing
	size    plotio.Size
}

// Figures draws a run with this report and these updates. Files are by name.
func Figures(report runs.Report, updates []Update) (map[string][]byte, error) {
	var all []drawn
	chart := func(name string, plot func() (*plotio.Chart, plotio.Size, error)) figure {
		return figure{name: name, plot: func(string, []runs.Row) (*plotio.Chart, plotio.Size, error) { return plot() }}
	}
	for _, f := range append(
		figures(report),
		chart("curve", func() (*plotio.Chart, plotio.Size, error) { return curve(updates) }),
		chart("schemes", func() (*plotio.Chart, plotio.Size, error) { return schemes(updates) }),
		chart("play", func() (*plotio.Chart, plotio.Size, error) { return play(report, updates) }),
	) {
		p, size, err := f.plot(f.title, report.Rows)
		if err != nil {
			return nil, fmt.Errorf("draw %s: %w", f.name, err)
		}
		if p != nil {
			all = append(all, drawn{f.name, p, size})
		}
	}
	for _, f := range []struct {
		name string
		plot func([]Update) (plotio.Drawing, plotio.Size, error)
	}{{"roles", roles}, {"training", training}} {
		p, size, err := f.plot(updates)
		if err != nil {
			return nil, fmt.Errorf("draw %s: %w", f.name, err)
		}
		if p != nil {
			all = append(all, drawn{f.name, p, size})
		}
	}
	return files(all)
}

// A figure plots rows of a report; nil where they have nothing to show.
type figure struct {
	name, title string
	columns     int // of panels, where several variants are drawn
	plot        func(title string, rows []runs.Row) (*plotio.Chart, plotio.Size, error)
}

// figures are those of a report.
func figures(r runs.Report) []figure {
	scores := func(title string, rows []runs.Row) (*plotio.Chart, plotio.Size, error) {
		return accuracy(title, r.Metric, rows)
	}
	return []figure{
		{"accuracy", fmt.Sprintf("%s: %s after every turn", r.Recipe, r.Metric), 2, scores},
		{"transitions", "Answers from turn to turn", 1, drawTransitions},
		{"incentives", "Moves that incentives reward (WR…) or punish (RW…)", 1, incentives},
	}
}

func files(all []drawn) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, d := range all {
		one, err := plotio.Files(d.name, d.drawing, d.size)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, one)
	}
	return out, nil
}

// FigureNames lists the pictures in the order in which a report shows them, each with what it shows.
var FigureNames = []struct{ Name, Shows string }{
	{"accuracy", "score after every turn, with 95 % intervals"},
	{"transitions", "answers from turn to turn: R right, W wrong, the earlier turn first"},
	{"incentives", "moves by what the others said"},
	{"curve", "training answers over the updates"},
	{"schemes", "how programs use their helpers, over the updates"},
	{"play", "how the team plays, over the updates"},
	{"roles", "what each agent gives to the steps, over the updates"},
	{"training", "what else was measured in training"},
}
