package figures

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"parley/internal/plotio"
	"parley/runs"
)

// accuracy draws the score of every system after every turn. Systems of one turn are level lines. Nothing is drawn where no system has
// several turns.
func accuracy(title, metric string, rows []runs.Row) (*plot.Plot, plotio.Size, error) {
	turns := 0
	for _, row := range rows {
		turns = max(turns, len(row.PerTurn))
	}
	if turns < 2 {
		return nil, wide, nil
	}
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text, p.Y.Label.Text = "turn", metric
	p.X.Tick.Marker = whole(turns)
	p.Add(plotter.NewGrid())
	for i, row := range rows {
		if err := addScores(p, row, turns, i); err != nil {
			return nil, wide, fmt.Errorf("%s: %w", row.System, err)
		}
	}
	p.X.Min, p.X.Max = 0.8, float64(turns)+0.2
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Points(2)
	return p, wide, nil
}

// addScores adds one system: its scores with their intervals, a little aside so that those of several systems are seen.
func addScores(p *plot.Plot, row runs.Row, turns, style int) error {
	colour := plotio.Palette[style%len(plotio.Palette)]
	var points scored
	if len(row.PerTurn) == 1 {
		points.XYs = plotter.XYs{{X: 0.8, Y: row.Score}, {X: float64(turns) + 0.2, Y: row.Score}}
	}
	for t, score := range row.PerTurn {
		if len(row.PerTurn) == 1 {
			break
		}
		points.XYs = append(points.XYs, plotter.XY{X: float64(t+1) + 0.02*float64(style), Y: score})
		if ci, ok := row.TurnCI95(t); ok {
			points.YErrors = append(points.YErrors, struct{ Low, High float64 }{score - ci[0], ci[1] - score})
		}
	}
	line, dots, err := plotter.NewLinePoints(points.XYs)
	if err != nil {
		return err
	}
	line.Color, line.Width, line.Dashes = colour, vg.Points(1.5), plotio.Dashes[style%len(plotio.Dashes)]
	dots.Color, dots.Shape, dots.Radius = colour, draw.CircleGlyph{}, vg.Points(2.5)
	p.Add(line)
	p.Legend.Add(row.System, line)
	if len(points.YErrors) == 0 {
		return nil
	}
	bars, err := plotter.NewYErrorBars(points)
	if err != nil {
		return err
	}
	bars.Color = colour
	p.Add(dots, bars)
	return nil
}

// scored are points with intervals.
type scored struct {
	plotter.XYs
	plotter.YErrors
}

// whole marks the whole numbers from 1.
type whole int

// Ticks implements [plot.Ticker].
func (n whole) Ticks(_, _ float64) []plot.Tick {
	ticks := make([]plot.Tick, n)
	for i := range ticks {
		ticks[i] = plot.Tick{Value: float64(i + 1), Label: fmt.Sprint(i + 1)}
	}
	return ticks
}
