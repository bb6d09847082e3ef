package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"parley/internal/plotio"
	"parley/runs"
)

// accuracy draws the score of every system after every turn. Systems of one turn are level lines. Nothing is drawn where no system has
// several turns.
func accuracy(title, metric string, rows []runs.Row) (*plotio.Chart, plotio.Size, error) {
	turns, several := 0, 0
	for _, row := range rows {
		turns = max(turns, len(row.PerTurn))
		if len(row.PerTurn) > 1 {
			several++
		}
	}
	if turns < 2 {
		return nil, wide, nil
	}
	c := plotio.NewChart(title, "turn", metric)
	c.X.Tick.Marker = whole(turns)
	var curves []plotio.Curve
	place := -float64(several-1) / 2
	for _, row := range rows {
		curves = append(curves, scores(row, turns, place))
		if len(row.PerTurn) > 1 {
			place++
		}
	}
	err := c.Curves(curves)
	c.X.Min, c.X.Max = 0.75, float64(turns)+0.25
	return c, c.Around(wide), err
}

// scores is the curve of one system, its points aside by its place so that the intervals of several systems are seen.
func scores(row runs.Row, turns int, place float64) plotio.Curve {
	c := plotio.Curve{Name: row.System}
	if len(row.PerTurn) == 1 {
		const points = 33
		for i := range points {
			c.Points = append(c.Points, plotter.XY{X: 0.75 + (float64(turns)-0.5)*float64(i)/(points-1), Y: row.Score})
		}
		return c
	}
	aside := min(0.04, 0.03*float64(turns)) * place
	for t, score := range row.PerTurn {
		c.Points = append(c.Points, plotter.XY{X: float64(t+1) + aside, Y: score})
		if ci, ok := row.TurnCI95(t); ok {
			c.Errors = append(c.Errors, struct{ Low, High float64 }{score - ci[0], ci[1] - score})
		}
	}
	if len(c.Errors) < len(c.Points) {
		c.Errors = nil
	}
	return c
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
