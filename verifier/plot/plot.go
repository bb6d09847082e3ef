// Package plot draws how good a verifier is: its reliability diagram, and its accuracy over the prefix of a solution. The same
// measure always gives the same bytes.
package plot

import (
	"fmt"
	"image/color"
	"maps"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"parley/eval"
	"parley/internal/plotio"
	"parley/verifier"
)

// side is that of a square picture.
const side = 4.5 * vg.Inch

// Pictures returns the images of a measure by file name, each as PNG and as SVG.
func Pictures(m *verifier.Measure) (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, layout := range map[string]func(*verifier.Measure) (*plot.Plot, error){"reliability": reliability, "prefix": prefix} {
		p, err := layout(m)
		if err != nil {
			return nil, fmt.Errorf("draw %s: %w", name, err)
		}
		files, err := plotio.Files(name, p, plotio.Size{Width: side, Height: side})
		if err != nil {
			return nil, err
		}
		maps.Copy(out, files)
	}
	return out, nil
}

// square is an empty plot over [0, 1] in both directions.
func square(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Add(plotter.NewGrid())
	return p
}

// fit sets the ranges, which adding to a plot widens.
func fit(p *plot.Plot) *plot.Plot {
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.Legend.Padding, p.Legend.XOffs, p.Legend.YOffs = vg.Points(2), -vg.Points(6), vg.Points(4)
	return p
}

// reliability shows the share of right solutions over the score. The area of a dot is the number of its solutions; a
// verifier that is calibrated has its dots on the diagonal.
func reliability(m *verifier.Measure) (*plot.Plot, error) {
	p := square(fmt.Sprintf("Reliability (expected calibration error %.3f)", m.CalibrationError), "score", "share of right solutions")
	diagonal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return nil, err
	}
	diagonal.Color, diagonal.Dashes = plotio.Grey, []vg.Length{vg.Points(4), vg.Points(3)}
	var used []eval.Bin
	for _, b := range m.Reliability {
		if b.Count > 0 {
			used = append(used, b)
		}
	}
	dots, err := plotter.NewScatter(points(len(used), func(i int) plotter.XY { return plotter.XY{X: used[i].Score, Y: used[i].Right} }))
	if err != nil {
		return nil, err
	}
	dots.GlyphStyleFunc = func(i int) draw.GlyphStyle {
		share := float64(used[i].Count) / float64(max(m.Solutions, 1))
		return draw.GlyphStyle{Color: plotio.Red, Shape: draw.CircleGlyph{}, Radius: vg.Points(2 + 10*share)}
	}
	p.Add(diagonal, dots)
	return fit(p), nil
}

// prefix shows accuracy and area over the part of a solution that was read.
func prefix(m *verifier.Measure) (*plot.Plot, error) {
	p := square("What is known after a part of the solution", "part of the tokens", "accuracy, area under the ROC curve")
	accuracy := points(len(m.Prefix), func(i int) plotter.XY { return plotter.XY{X: m.Prefix[i].Part, Y: m.Prefix[i].Accuracy} })
	var area plotter.XYs
	for _, x := range m.Prefix {
		if x.AUC != nil {
			area = append(area, plotter.XY{X: x.Part, Y: *x.AUC})
		}
	}
	for _, c := range []struct {
		name   string
		points plotter.XYs
		color  color.Color
	}{{"accuracy", accuracy, plotio.Red}, {"area", area, plotio.Blue}} {
		if len(c.points) == 0 {
			continue
		}
		line, err := plotter.NewLine(c.points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = c.color, vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(c.name, line)
	}
	return fit(p), nil
}

func points(n int, at func(int) plotter.XY) plotter.XYs {
	out := make(plotter.XYs, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}
