package compare

import (
	"fmt"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"parley/internal/plotio"
)

// Picture draws every score with its interval, beside it the single runs and the untrained team. The file's name says the format: .png,
// .svg or .pdf.
func (c *Comparison) Picture(file string) ([]byte, error) {
	write, err := plotio.Format(file)
	if err != nil {
		return nil, err
	}
	chart := plotio.NewChart(fmt.Sprintf("%s on %d held-out problems of task %s", c.Metric, c.Problems, c.Task), "", c.Measure.String())
	names := make([]string, len(c.Rows))
	for i, r := range c.Rows {
		names[i] = r.Run
	}
	chart.NominalX(names...)
	if err := c.add(chart); err != nil {
		return nil, fmt.Errorf("draw the comparison: %w", err)
	}
	chart.X.Min, chart.X.Max = -0.5, float64(len(c.Rows))-0.5
	chart.Widen()
	longest := 0
	for _, n := range names {
		longest = max(longest, len(n))
	}
	width := max(5*vg.Inch, vg.Length(len(c.Rows))*vg.Points(max(70, 7*float64(longest))))
	return write(chart, chart.Around(plotio.Size{Width: width, Height: 4 * vg.Inch}))
}

// scored are points with intervals.
type scored struct {
	plotter.XYs
	plotter.YErrors
}

func (c *Comparison) add(chart *plotio.Chart) error {
	var mean scored
	var single, untrained plotter.XYs
	for i, r := range c.Rows {
		x := float64(i)
		mean.XYs = append(mean.XYs, plotter.XY{X: x, Y: r.Score})
		mean.YErrors = append(mean.YErrors, struct{ Low, High float64 }{r.Score - r.CI95[0], r.CI95[1] - r.Score})
		for k, s := range r.PerSeed { // side by side, so that equal ones are seen
			single = append(single, plotter.XY{X: x + 0.12 + 0.16*(float64(k)+0.5)/float64(len(r.PerSeed)), Y: s})
		}
		if r.Before != nil {
			untrained = append(untrained, plotter.XY{X: x - 0.18, Y: *r.Before})
		}
	}
	bars, err := plotter.NewYErrorBars(mean)
	if err != nil {
		return err
	}
	bars.Color, bars.Width, bars.CapWidth = plotio.Blue, vg.Points(1.5), vg.Points(8)
	chart.Add(bars)
	for _, x := range []struct {
		name   string
		points plotter.XYs
		style  draw.GlyphStyle
	}{
		{"mean, 95 % interval", mean.XYs, draw.GlyphStyle{Color: plotio.Blue, Shape: draw.CircleGlyph{}, Radius: vg.Points(4.5)}},
		{"one run", single, draw.GlyphStyle{Color: plotio.Vermillion, Shape: draw.RingGlyph{}, Radius: vg.Points(3.5)}},
		{"untrained team", untrained, draw.GlyphStyle{Color: plotio.Black, Shape: draw.CrossGlyph{}, Radius: vg.Points(3.5)}},
	} {
		if len(x.points) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(x.points)
		if err != nil {
			return err
		}
		dots.GlyphStyle = x.style
		chart.Add(dots)
		chart.Explain(x.name, dots)
	}
	return nil
}
