package train

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"parley/runs"
)

// A line is one curve over updates.
type line struct {
	name   string
	points plotter.XYs
}

// colours of the curves, in order.
var colours = []color.Color{
	color.RGBA{R: 0x7f, G: 0xb3, B: 0xd5, A: 0xff}, color.RGBA{R: 0xc0, G: 0x39, B: 0x2b, A: 0xff},
	color.RGBA{R: 0x1b, G: 0x4f, B: 0x72, A: 0xff}, color.RGBA{R: 0x27, G: 0xae, B: 0x60, A: 0xff},
}

// curve draws the run's training as PNG: the accuracy of every turn where answers can be compared, else the mean reward of
// every agent. A run of a single update has no curve: nil.
func curve(dir string) ([]byte, error) {
	var all []Metrics
	err := runs.ReadLines(dir, "metrics.jsonl", func(data []byte) error {
		var m Metrics
		err := json.Unmarshal(data, &m)
		all = append(all, m)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("draw curve: %w", err)
	}
	if len(all) < 2 {
		return nil, nil
	}
	label, lines := "accuracy of training answers (vote)", curves(all, "turn", func(m Metrics) []float64 { return m.Accuracy })
	if len(lines) == 0 {
		label, lines = "mean reward in training", curves(all, "agent", func(m Metrics) []float64 { return m.Reward })
	}
	return drawLines(label, lines)
}

// curves takes one value after the other of each update.
func curves(all []Metrics, name string, of func(Metrics) []float64) []line {
	lines := make([]line, len(of(all[0])))
	for i := range lines {
		lines[i].name = fmt.Sprintf("%s %d", name, i+1)
		for _, m := range all {
			lines[i].points = append(lines[i].points, plotter.XY{X: float64(m.Update), Y: of(m)[i]})
		}
	}
	return lines
}

func drawLines(label string, lines []line) ([]byte, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "update", label
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	for i, l := range lines {
		drawn, err := plotter.NewLine(l.points)
		if err != nil {
			return nil, fmt.Errorf("draw curve of %s: %w", l.name, err)
		}
		drawn.Color, drawn.Width = colours[i%len(colours)], vg.Points(1.5)
		p.Add(drawn)
		p.Legend.Add(l.name, drawn)
	}
	canvas := vgimg.NewWith(vgimg.UseWH(6*vg.Inch, 4*vg.Inch), vgimg.UseDPI(96))
	p.Draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&out); err != nil {
		return nil, fmt.Errorf("draw curve: %w", err)
	}
	return out.Bytes(), nil
}
