package report

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"parley/internal/plotio"
	"parley/runs"
)

// panels are plots beside and below each other.
type panels struct {
	plots   []*plotio.Chart
	columns int
}

func (p panels) rows() int { return (len(p.plots) + p.columns - 1) / p.columns }

// Draw implements [plotio.Drawing].
func (p panels) Draw(c draw.Canvas) {
	tiles := draw.Tiles{Rows: p.rows(), Cols: p.columns, PadX: vg.Points(14), PadY: vg.Points(10)}
	for i, one := range p.plots {
		one.Draw(tiles.At(c, i%p.columns, i/p.columns))
	}
}

// size is that of all panels when one has the size each.
func (p panels) size(each plotio.Size) plotio.Size {
	return plotio.Size{Width: each.Width * vg.Length(p.columns), Height: each.Height * vg.Length(p.rows())}
}

// level gives all panels the same heights, so that they can be compared by eye.
func (p panels) level() {
	low, high := math.Inf(1), math.Inf(-1)
	for _, one := range p.plots {
		low, high = min(low, one.Y.Min), max(high, one.Y.Max)
	}
	for _, one := range p.plots {
		one.Y.Min, one.Y.Max = low, high
	}
}

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
