package figures

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"parley/internal/plotio"
)

// An Update is what the curves show of one update of training. Lists of all updates have the same length; nil: not known.
type Update struct {
	Update   int
	Accuracy []float64 // voted, per turn
	Reward   []float64 // mean, per agent

	Measures []Measure // the same names in every update

	Schemes map[string]float64 // shares of the ways in which programs use their helpers; nil: there are none
}

// A Measure is one number of an update; NaN: it has none.
type Measure struct {
	Name  string
	Value float64
}

// A line is one curve over updates.
type line struct {
	name   string
	points plotter.XYs
}

// curve draws the accuracy of every turn where answers can be compared, else the mean reward of every agent. A single update is no
// curve.
func curve(all []Update) (*plot.Plot, plotio.Size, error) {
	if len(all) < 2 {
		return nil, wide, nil
	}
	label, lines := "accuracy of training answers (vote)", over(all, "turn", func(u Update) []float64 { return u.Accuracy })
	if len(lines) == 0 {
		label, lines = "mean reward in training", over(all, "agent", func(u Update) []float64 { return u.Reward })
	}
	p, err := lineplot(label, lines)
	return p, wide, err
}

// over takes one value after the other of each update.
func over(all []Update, name string, of func(Update) []float64) []line {
	lines := make([]line, len(of(all[0])))
	for i := range lines {
		lines[i].name = fmt.Sprintf("%s %d", name, i+1)
		for _, u := range all {
			lines[i].points = append(lines[i].points, plotter.XY{X: float64(u.Update), Y: of(u)[i]})
		}
	}
	return lines
}

func lineplot(label string, lines []line) (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "update", label
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	for i, l := range lines {
		drawn, err := plotter.NewLine(l.points)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		drawn.Color, drawn.Width = plotio.Palette[i%len(plotio.Palette)], vg.Points(1.5)
		p.Add(drawn)
		if len(lines) > 1 {
			p.Legend.Add(l.name, drawn)
		}
	}
	return p, nil
}

// training draws one panel for every measure that is known in two updates or more.
func training(all []Update) (plotio.Drawing, plotio.Size, error) {
	out := panels{columns: 2}
	for i := range measuresOf(all) {
		l := line{name: all[0].Measures[i].Name}
		for _, u := range all {
			if v := u.Measures[i].Value; !math.IsNaN(v) && !math.IsInf(v, 0) {
				l.points = append(l.points, plotter.XY{X: float64(u.Update), Y: v})
			}
		}
		if len(l.points) < 2 {
			continue
		}
		p, err := lineplot(l.name, []line{l})
		if err != nil {
			return nil, wide, err
		}
		out.plots = append(out.plots, p)
	}
	if len(out.plots) == 0 {
		return nil, wide, nil
	}
	return out, out.size(plotio.Size{Width: 4 * vg.Inch, Height: 2.4 * vg.Inch}), nil
}

// schemes draws the share of every way to use a helper that occurs (magrpo.md 14).
func schemes(all []Update) (*plot.Plot, plotio.Size, error) {
	known := slices.DeleteFunc(slices.Clone(all), func(u Update) bool { return u.Schemes == nil })
	occurring := map[string]bool{}
	for _, u := range known {
		for name := range u.Schemes {
			occurring[name] = true
		}
	}
	if len(known) < 2 || len(occurring) == 0 {
		return nil, wide, nil
	}
	var lines []line
	for _, name := range slices.Sorted(maps.Keys(occurring)) {
		l := line{name: name}
		for _, u := range known {
			l.points = append(l.points, plotter.XY{X: float64(u.Update), Y: 100 * u.Schemes[name]})
		}
		lines = append(lines, l)
	}
	p, err := lineplot("share of joint actions (%)", lines)
	if err != nil {
		return nil, wide, err
	}
	p.Y.Min, p.Y.Max = 0, 130 // the legend is above the lines
	return p, wide, nil
}

func measuresOf(all []Update) []Measure {
	if len(all) == 0 {
		return nil
	}
	return all[0].Measures
}
