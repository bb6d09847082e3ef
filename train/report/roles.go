package report

import (
	"maps"
	"slices"

	"gonum.org/v1/plot/plotter"

	"parley/internal/plotio"
)

// Shares are those of the agents in something of an update, such as its loss: a panel of roles.
type Shares struct {
	Of      string
	ByAgent map[string]float64
}

// roles draws what each agent gave to the steps, a panel for everything that has shares in two updates or more.
func roles(all []Update) (plotio.Drawing, plotio.Size, error) {
	var order []string
	points := map[string]map[string]plotter.XYs{}
	for _, u := range all {
		for _, s := range u.Shares {
			if points[s.Of] == nil {
				order, points[s.Of] = append(order, s.Of), map[string]plotter.XYs{}
			}
			for agent, share := range s.ByAgent {
				points[s.Of][agent] = append(points[s.Of][agent], plotter.XY{X: float64(u.Update), Y: 100 * share})
			}
		}
	}
	out := panels{columns: 1}
	for _, of := range order {
		var lines []plotio.Curve
		for _, agent := range slices.Sorted(maps.Keys(points[of])) {
			if len(points[of][agent]) > 1 {
				lines = append(lines, plotio.Curve{Name: agent, Points: points[of][agent]})
			}
		}
		if len(lines) < 2 {
			continue
		}
		p, _, err := lineplot("share of "+of+" (%)", lines, wide)
		if err != nil {
			return nil, wide, err
		}
		p.Y.Min, p.Y.Max = 0, 100
		out.plots = append(out.plots, p)
	}
	if len(out.plots) == 0 {
		return nil, wide, nil
	}
	return out, out.size(out.plots[0].Around(wide)), nil
}
