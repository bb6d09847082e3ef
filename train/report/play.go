package report

import (
	"maps"
	"slices"

	"gonum.org/v1/plot/plotter"

	"parley/internal/plotio"
	"parley/runs"
)

// play draws every number of how a team plays a game: before training, after the updates that were measured, and at the end.
func play(report runs.Report, all []Update) (*plotio.Chart, plotio.Size, error) {
	before, _ := report.Row(runs.OffTheShelf)
	after, _ := report.Row(runs.Trained)
	points := []Update{{Play: before.Play}}
	for _, u := range all {
		if u.Play != nil && u.Update < report.Updates {
			points = append(points, u)
		}
	}
	points = slices.DeleteFunc(append(points, Update{Update: report.Updates, Play: after.Play}), func(u Update) bool { return u.Play == nil })
	if len(points) < 2 {
		return nil, wide, nil
	}
	var lines []plotio.Curve
	for _, name := range slices.Sorted(maps.Keys(points[0].Play)) {
		l := plotio.Curve{Name: name}
		for _, u := range points {
			l.Points = append(l.Points, plotter.XY{X: float64(u.Update), Y: u.Play[name]})
		}
		lines = append(lines, l)
	}
	return lineplot("how the team plays", lines, wide)
}
