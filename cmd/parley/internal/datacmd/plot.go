package datacmd

import (
	"fmt"
	"maps"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"parley/internal/plotio"
	"parley/rl/eval"
	"parley/rl/verifier"
)

// side is that of a square picture.
const side = 4.5 * vg.Inch

// pictures returns the images of a measure by file name, each as PNG, SVG and PDF: its reliability diagram, and its accuracy over the prefix of a
// solution. The same measure always gives the same bytes.
func pictures(m *verifier.Measure) (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, layout := range map[string]func(*verifier.Measure) (*plotio.Chart, error){"reliability": reliability, "prefix": prefix} {
		c, err := layout(m)
		if err != nil {
			return nil, fmt.Errorf("draw %s: %w", name, err)
		}
		files, err := plotio.Files(name, c, c.Around(plotio.Size{Width: side, Height: side}))
		if err != nil {
			return nil, err
		}
		maps.Copy(out, files)
	}
	return out, nil
}

// fit sets the ranges, which adding to a plot widens, to [0, 1] in both directions.
func fit(c *plotio.Chart) *plotio.Chart {
	c.X.Min, c.X.Max, c.Y.Min, c.Y.Max = 0, 1, 0, 1
	return c
}

// reliability shows the share of right solutions over the score. The area of a dot is the number of its solutions; a
// verifier that is calibrated has its dots on the diagonal.
func reliability(m *verifier.Measure) (*plotio.Chart, error) {
	c := plotio.NewChart(fmt.Sprintf("Reliability (expected calibration error %.3f)", m.CalibrationError), "score", "share of right solutions")
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
		return draw.GlyphStyle{Color: plotio.Blue, Shape: draw.CircleGlyph{}, Radius: vg.Points(2 + 10*share)}
	}
	c.Add(diagonal, dots)
	c.Explain("calibrated", diagonal)
	return fit(c), nil
}

// prefix shows accuracy and area over the part of a solution that was read.
func prefix(m *verifier.Measure) (*plotio.Chart, error) {
	c := plotio.NewChart("What is known after a part of the solution", "part of the tokens", "accuracy, area under the ROC curve")
	accuracy := points(len(m.Prefix), func(i int) plotter.XY { return plotter.XY{X: m.Prefix[i].Part, Y: m.Prefix[i].Accuracy} })
	var area plotter.XYs
	for _, x := range m.Prefix {
		if x.AUC != nil {
			area = append(area, plotter.XY{X: x.Part, Y: *x.AUC})
		}
	}
	err := c.Curves([]plotio.Curve{{Name: "accuracy", Points: accuracy}, {Name: "area", Points: area}})
	return fit(c), err
}

func points(n int, at func(int) plotter.XY) plotter.XYs {
	out := make(plotter.XYs, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}
