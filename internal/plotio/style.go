package plotio

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours of the house: those of Okabe and Ito, which readers with any kind of colour vision tell apart, but for their yellow, which is too
// pale for lines on white. Palette tells curves apart, in order.
var (
	Blue       = color.RGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}
	Vermillion = color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}
	Green      = color.RGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}
	Purple     = color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}
	Orange     = color.RGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}
	Sky        = color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}
	Black      = color.RGBA{R: 0x20, G: 0x20, B: 0x20, A: 0xff}
	Grey       = color.Gray{Y: 0x99}
	Palette    = []color.Color{Blue, Vermillion, Green, Purple, Orange, Sky, Black}
)

// dashes are those of the i-th of n curves, the first of them a whole line. All have one period, and those further up are shorter, so that
// of equal curves each shows a part of its length.
func dashes(i, n int) []vg.Length {
	if i == 0 {
		return nil
	}
	const period = 16 // points
	on := period * (1 - 0.6*float64(i)/float64(max(n-1, 2)))
	return []vg.Length{vg.Points(on), vg.Points(period - on)}
}

// markers tell curves apart where they meet.
var markers = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
}

// styled is an empty plot with the fonts of the house. All text has one typeface, without serifs: it stays readable when a picture is made
// small, and a PDF file of one font has one order of its parts.
func styled(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(8)
	for style, size := range map[*text.Style]float64{
		&p.Title.TextStyle: 13, &p.X.Label.TextStyle: 12, &p.Y.Label.TextStyle: 12, &p.X.Tick.Label: 10.5, &p.Y.Tick.Label: 10.5,
	} {
		Lettered(style, size)
	}
	p.X.Padding, p.Y.Padding = vg.Points(6), vg.Points(6)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{Y: 0xe0}, color.Gray{Y: 0xe0}
	p.Add(grid)
	return p
}

// Lettered sets a text in the typeface of the house.
func Lettered(s *text.Style, points float64) {
	s.Font.Typeface, s.Font.Variant, s.Font.Size = "Liberation", "Sans", vg.Points(points)
}
