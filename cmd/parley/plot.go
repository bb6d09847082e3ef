package main

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"parley/internal/plotio"
	"parley/rl/game"
)

var size = plotio.Size{Width: 6 * vg.Inch, Height: 4 * vg.Inch}

// figurePNG returns the figure as a PNG image. The same figure always gives the same bytes.
func figurePNG(f game.Figure) ([]byte, error) { return render(f, plotio.PNG) }

// figureSVG returns the figure as an SVG image.
func figureSVG(f game.Figure) ([]byte, error) { return render(f, plotio.SVG) }

// figurePDF returns the figure as a PDF file.
func figurePDF(f game.Figure) ([]byte, error) { return render(f, plotio.PDF) }

func render(f game.Figure, write func(plotio.Drawing, plotio.Size) ([]byte, error)) ([]byte, error) {
	c, err := layout(f)
	if err != nil {
		return nil, fmt.Errorf("draw figure of %d turns: %w", f.Turns, err)
	}
	return write(c, c.Around(size))
}

func layout(f game.Figure) (*plotio.Chart, error) {
	if len(f.Thresholds) == 0 || len(f.Curves) == 0 {
		return nil, fmt.Errorf("nothing to draw: %d thresholds, %d curves", len(f.Thresholds), len(f.Curves))
	}
	var curves []plotio.Curve
	for _, c := range f.Curves {
		if len(c.P) != len(f.Thresholds) {
			return nil, fmt.Errorf("curve %q: %d points for %d thresholds", c.Name, len(c.P), len(f.Thresholds))
		}
		one := plotio.Curve{Name: c.Name}
		for i, p := range c.P {
			one.Points = append(one.Points, plotter.XY{X: float64(f.Thresholds[i]), Y: p})
		}
		curves = append(curves, one)
	}
	c := plotio.NewChart(fmt.Sprintf("Collaboration at the first of %d turns", f.Turns), "threshold C", "probability of collaborating")
	c.X.Tick.Marker = thresholds(f.Thresholds)
	err := c.Curves(curves)
	c.X.Min, c.X.Max = float64(slices.Min(f.Thresholds)), float64(slices.Max(f.Thresholds))
	c.Y.Min, c.Y.Max = 0, 1
	return c, err
}

// thresholds marks every threshold with its number: they are whole.
type thresholds []int

// Ticks implements [plot.Ticker].
func (t thresholds) Ticks(_, _ float64) []plot.Tick {
	ticks := make([]plot.Tick, len(t))
	for i, c := range t {
		ticks[i] = plot.Tick{Value: float64(c), Label: fmt.Sprint(c)}
	}
	return ticks
}
