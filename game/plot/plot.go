// Package plot draws the panels of [game.Figure5] as PNG and SVG images. The same figure always gives the same bytes.
package plot

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"parley/game"
	"parley/internal/plotio"
)

var size = plotio.Size{Width: 6 * vg.Inch, Height: 4 * vg.Inch}

// PNG returns the figure as a PNG image.
func PNG(f game.Figure) ([]byte, error) { return render(f, plotio.PNG) }

// SVG returns the figure as an SVG image.
func SVG(f game.Figure) ([]byte, error) { return render(f, plotio.SVG) }

func render(f game.Figure, write func(plotio.Drawing, plotio.Size) ([]byte, error)) ([]byte, error) {
	p, err := layout(f)
	if err != nil {
		return nil, fmt.Errorf("draw figure of %d turns: %w", f.Turns, err)
	}
	return write(p, size)
}

func layout(f game.Figure) (*plot.Plot, error) {
	if len(f.Thresholds) == 0 || len(f.Curves) == 0 {
		return nil, fmt.Errorf("nothing to draw: %d thresholds, %d curves", len(f.Thresholds), len(f.Curves))
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Collaboration at the first of %d turns", f.Turns)
	p.X.Label.Text = "threshold C"
	p.Y.Label.Text = "probability of collaborating"
	p.X.Tick.Marker = thresholds(f.Thresholds)
	p.Add(plotter.NewGrid())
	for i, c := range f.Curves {
		if err := add(p, f.Thresholds, c, i); err != nil {
			return nil, fmt.Errorf("curve %q: %w", c.Name, err)
		}
	}
	p.X.Min, p.X.Max = float64(slices.Min(f.Thresholds)), float64(slices.Max(f.Thresholds))
	p.Y.Min, p.Y.Max = 0, 1
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	p.Legend.XOffs = -vg.Points(4)
	return p, nil
}

func add(p *plot.Plot, thresholds []int, c game.Curve, style int) error {
	if len(c.P) != len(thresholds) {
		return fmt.Errorf("%d points for %d thresholds", len(c.P), len(thresholds))
	}
	points := make(plotter.XYs, len(c.P))
	for i := range points {
		points[i] = plotter.XY{X: float64(thresholds[i]), Y: c.P[i]}
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, dots.Color = plotio.Palette[style%len(plotio.Palette)], plotio.Palette[style%len(plotio.Palette)]
	line.Dashes, line.Width = plotio.Dashes[style%len(plotio.Dashes)], vg.Points(1.5)
	dots.Shape, dots.Radius = draw.CircleGlyph{}, vg.Points(2.5)
	p.Add(line, dots)
	p.Legend.Add(c.Name, line, dots)
	return nil
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
