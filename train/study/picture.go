package study

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"parley/internal/plotio"
)

// Picture draws the study's first metric that runs have, a point with its interval for each cell and beside it the single runs. The file's name says the
// format: .png, .svg or .pdf.
func (r *Results) Picture(file string) ([]byte, error) {
	write, err := plotio.Format(file)
	if err != nil {
		return nil, err
	}
	metric := r.drawn()
	chart := plotio.NewChart(r.Study, "", heading(metric))
	names, longest := make([]string, len(r.Cells)), 0
	for i, c := range r.Cells {
		names[i], longest = c.Cell, max(longest, len(c.Cell))
	}
	chart.NominalX(names...)
	if err := r.points(chart, metric); err != nil {
		return nil, fmt.Errorf("draw the study: %w", err)
	}
	chart.X.Min, chart.X.Max = -0.5, float64(len(r.Cells))-0.5
	chart.Widen()
	width := max(5*vg.Inch, vg.Length(len(r.Cells))*vg.Points(max(70, 7*float64(longest))))
	return write(chart, chart.Around(plotio.Size{Width: width, Height: 4 * vg.Inch}))
}

// drawn is the first metric of the study that a run has; where none has any, the first.
func (r *Results) drawn() string {
	all, lacking := r.study.AllMetrics(), r.Lacking()
	for _, m := range all {
		if !slices.Contains(lacking, m) {
			return m
		}
	}
	return all[0]
}

// points adds the means with their intervals and the single runs.
func (r *Results) points(chart *plotio.Chart, metric string) error {
	var means struct {
		plotter.XYs
		plotter.YErrors
	}
	var single plotter.XYs
	for i, c := range r.Cells {
		m, ok := c.Metrics[metric]
		if !ok {
			continue
		}
		means.XYs = append(means.XYs, plotter.XY{X: float64(i), Y: m.Mean})
		means.YErrors = append(means.YErrors, struct{ Low, High float64 }{m.Mean - m.CI95[0], m.CI95[1] - m.Mean})
		for k, row := range r.of(c.Cell) { // side by side, so that equal ones are seen
			if y, has := row.Metrics[metric]; has {
				single = append(single, plotter.XY{X: float64(i) + 0.12 + 0.2*(float64(k)+0.5)/float64(len(c.Seeds)), Y: y})
			}
		}
	}
	if len(single) == 0 {
		return fmt.Errorf("no finished run has the number %s", metric)
	}
	bars, err := plotter.NewYErrorBars(means)
	if err != nil {
		return err
	}
	bars.Color, bars.Width, bars.CapWidth = plotio.Blue, vg.Points(1.5), vg.Points(8)
	chart.Add(bars)
	if err := dots(chart, "mean, 95 % interval", means.XYs, draw.GlyphStyle{Color: plotio.Blue, Shape: draw.CircleGlyph{}, Radius: vg.Points(4.5)}); err != nil {
		return err
	}
	return dots(chart, "one run", single, draw.GlyphStyle{Color: plotio.Vermillion, Shape: draw.RingGlyph{}, Radius: vg.Points(3.5)})
}

func dots(chart *plotio.Chart, name string, points plotter.XYs, style draw.GlyphStyle) error {
	d, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	d.GlyphStyle = style
	chart.Add(d)
	chart.Explain(name, d)
	return nil
}

// Curves draws the study's curve over the tokens generated in training, a line for each cell: the mean of its seeds. Of a study without a
// curve there is no picture, nil.
func (r *Results) Curves(file string) ([]byte, error) {
	write, err := plotio.Format(file)
	if err != nil || r.study.Curve == "none" {
		return nil, err
	}
	var lines []plotio.Curve
	for _, c := range r.Cells {
		if points := averaged(r.of(c.Cell)); len(points) > 0 {
			lines = append(lines, plotio.Curve{Name: c.Cell, Points: points})
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	chart := plotio.NewChart(r.Study, "tokens generated in training", r.study.Curve)
	if err := chart.Curves(lines); err != nil {
		return nil, fmt.Errorf("draw the study: %w", err)
	}
	return write(chart, chart.Around(plotio.Size{Width: 6 * vg.Inch, Height: 4 * vg.Inch}))
}

// averaged is the mean of the curves of several seeds, point by point; the k-th points of runs with one budget are at about the same tokens.
func averaged(rows []Row) (points plotter.XYs) {
	for _, row := range rows {
		if points == nil {
			points = make(plotter.XYs, len(row.Curve))
		}
		points = points[:min(len(points), len(row.Curve))]
		for k := range points {
			points[k].X += row.Curve[k][0] / float64(len(rows))
			points[k].Y += row.Curve[k][1] / float64(len(rows))
		}
	}
	return points
}
