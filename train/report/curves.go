package report

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"

	"parley/internal/plotio"
)

// An Update is what the curves show of one update of training. Lists of all updates have the same length; nil: not known.
type Update struct {
	Update   int
	Accuracy []float64 // voted, per turn
	Reward   []float64 // mean, per agent
	Names    []string  // of the agents; nil: they have none

	Measures []Measure // the same names in every update

	Schemes map[string]float64 // shares of the ways in which programs use their helpers; nil: there are none
	Play    map[string]float64 // how the team plays a game after the update; nil: nothing was measured then
	Shares  []Shares           // of the agents, of what is known; nil: one agent learns
}

// A Measure is one number of an update; NaN: it has none.
type Measure struct {
	Name  string
	Value float64
}

// curve draws the accuracy of every turn where answers can be compared, else the mean reward of every agent. A single update is no
// curve.
func curve(all []Update) (*plotio.Chart, plotio.Size, error) {
	if len(all) < 2 {
		return nil, wide, nil
	}
	label, lines := "accuracy of training answers (vote)", over(all, "turn", nil, func(u Update) []float64 { return u.Accuracy })
	if len(lines) == 0 {
		label, lines = "mean reward in training", over(all, "agent", all[0].Names, func(u Update) []float64 { return u.Reward })
	}
	return lineplot(label, lines, wide)
}

// over takes one value after the other of each update. Each has a name of its own, or a number behind a common one.
func over(all []Update, name string, names []string, of func(Update) []float64) []plotio.Curve {
	lines := make([]plotio.Curve, len(of(all[0])))
	for i := range lines {
		if lines[i].Name = fmt.Sprintf("%s %d", name, i+1); i < len(names) {
			lines[i].Name = names[i]
		}
		for _, u := range all {
			lines[i].Points = append(lines[i].Points, plotter.XY{X: float64(u.Update), Y: of(u)[i]})
		}
	}
	return lines
}

// lineplot draws curves over updates. A single one needs no key.
func lineplot(label string, lines []plotio.Curve, size plotio.Size) (*plotio.Chart, plotio.Size, error) {
	c := plotio.NewChart("", "update", label)
	if len(lines) == 1 {
		lines[0].Name = ""
	}
	err := c.Curves(lines)
	return c, c.Around(size), err
}

// training draws one panel for every measure that is known in two updates or more.
func training(all []Update) (plotio.Drawing, plotio.Size, error) {
	out := panels{columns: 2}
	for i := range measuresOf(all) {
		l := plotio.Curve{}
		for _, u := range all {
			if v := u.Measures[i].Value; !math.IsNaN(v) && !math.IsInf(v, 0) {
				l.Points = append(l.Points, plotter.XY{X: float64(u.Update), Y: v})
			}
		}
		if len(l.Points) < 2 {
			continue
		}
		p, _, err := lineplot(all[0].Measures[i].Name, []plotio.Curve{l}, panel)
		if err != nil {
			return nil, wide, err
		}
		out.plots = append(out.plots, p)
	}
	if len(out.plots) == 0 {
		return nil, wide, nil
	}
	return out, out.size(panel), nil
}

// schemes draws the share of every way to use a helper that occurs (magrpo.md 14).
func schemes(all []Update) (*plotio.Chart, plotio.Size, error) {
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
	var lines []plotio.Curve
	for _, name := range slices.Sorted(maps.Keys(occurring)) {
		l := plotio.Curve{Name: name}
		for _, u := range known {
			l.Points = append(l.Points, plotter.XY{X: float64(u.Update), Y: 100 * u.Schemes[name]})
		}
		lines = append(lines, l)
	}
	c, size, err := lineplot("share of joint actions (%)", lines, wide)
	if err != nil {
		return nil, wide, err
	}
	c.Y.Min, c.Y.Max = 0, 100
	return c, size, nil
}

func measuresOf(all []Update) []Measure {
	if len(all) == 0 {
		return nil
	}
	return all[0].Measures
}
