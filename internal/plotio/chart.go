package plotio

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Chart is a plot with its key at the right, outside of the axes, where it hides nothing.
type Chart struct {
	*plot.Plot
	key     plot.Legend
	entries int
	beside  vg.Length // width of the key and of what is around it; 0: as much as it takes
}

// NewChart returns a chart with a grid and nothing else.
func NewChart(title, x, y string) *Chart {
	c := &Chart{Plot: styled(title, x, y), key: plot.NewLegend()}
	Lettered(&c.key.TextStyle, 11)
	c.key.Left, c.key.Top = true, true
	c.key.Padding, c.key.ThumbnailWidth = vg.Points(7), vg.Points(30)
	return c
}

// Explain adds an entry to the key.
func (c *Chart) Explain(name string, thumbs ...plot.Thumbnailer) {
	c.key.Add(name, thumbs...)
	c.entries++
}

// gap is between the axes and the key.
const gap = 14

// Draw implements [Drawing].
func (c *Chart) Draw(canvas draw.Canvas) {
	left := canvas
	left.Max.X -= max(c.beside, c.keySize().Width)
	c.Plot.Draw(left)
	inside := c.DataCanvas(left)
	if c.entries == 0 {
		return
	}
	right := canvas
	right.Min.X, right.Max.Y = left.Max.X+vg.Points(gap), inside.Max.Y
	c.key.Draw(right)
}

// keySize is what the key takes at the right of the axes.
func (c *Chart) keySize() Size {
	if c.entries == 0 {
		return Size{}
	}
	r := c.key.Rectangle(draw.Canvas{})
	return Size{Width: r.Max.X - r.Min.X + vg.Points(gap+8), Height: r.Max.Y - r.Min.Y}
}

// Around is the size of the whole picture of which the plot without its key has size s.
func (c *Chart) Around(s Size) Size {
	key := c.keySize()
	return Size{Width: s.Width + max(c.beside, key.Width) + 2*Margin, Height: max(s.Height, key.Height+vg.Points(80)) + 2*Margin}
}

// Align gives charts that stand below each other keys of one width.
func Align(charts []*Chart) {
	widest := vg.Length(0)
	for _, c := range charts {
		widest = max(widest, c.keySize().Width)
	}
	for _, c := range charts {
		c.beside = widest
	}
}

// A Curve is a named line through points, which may have intervals.
type Curve struct {
	Name   string
	Points plotter.XYs
	Errors plotter.YErrors // none, or one for each point
}

// Curves adds curves of which none hides another, even where all are equal: each one further up is thinner and has gaps, and their markers
// stand at different points.
func (c *Chart) Curves(curves []Curve) error {
	for i, one := range curves {
		if len(one.Points) == 0 {
			continue
		}
		if err := c.curve(one, i, len(curves)); err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
	}
	c.Widen()
	return nil
}

// Widen leaves some room above and below what is drawn, so that no marker is cut in half.
func (c *Chart) Widen() {
	room := 0.04 * (c.Y.Max - c.Y.Min)
	c.Y.Min, c.Y.Max = c.Y.Min-room, c.Y.Max+room
}

// curve adds the i-th of n.
func (c *Chart) curve(one Curve, i, n int) error {
	line, err := plotter.NewLine(one.Points)
	if err != nil {
		return err
	}
	dots, err := plotter.NewScatter(marked(one, i, n))
	if err != nil {
		return err
	}
	colour := Palette[i%len(Palette)]
	line.Color, line.Dashes = colour, dashes(i, n)
	line.Width = vg.Points(1.8 + min(0.9, 2.4/float64(n))*float64(n-1-i))
	dots.Color, dots.Shape, dots.Radius = colour, markers[i%len(markers)], vg.Points(3.5)
	c.Add(line, dots)
	if len(one.Errors) > 0 {
		bars, err := plotter.NewYErrorBars(struct {
			plotter.XYs
			plotter.YErrors
		}{one.Points, one.Errors})
		if err != nil {
			return err
		}
		bars.Color, bars.Width, bars.CapWidth = colour, vg.Points(1), vg.Points(6)
		c.Add(bars)
	}
	if one.Name != "" {
		c.Explain(one.Name, line, dots)
	}
	return nil
}

// marked are the points of the i-th of n curves that get a marker: all where they have intervals, else about eight, none of them at the
// place of another curve's.
func marked(one Curve, i, n int) plotter.XYs {
	if len(one.Errors) > 0 {
		return one.Points
	}
	every := min(max(n, (len(one.Points)+7)/8), len(one.Points))
	var out plotter.XYs
	for at := i * every / n; at < len(one.Points); at += every {
		out = append(out, one.Points[at])
	}
	return out
}
