// Package plotio writes plots as PNG and SVG, in one style for all of parley. The same plot always gives the same bytes.
//
// The rooms that have something to show lay out plots of their own: games, verifiers, and the training of runs.
package plotio

import (
	"bytes"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Colours of the house, by what they are used for: Palette tells curves apart, in order.
var (
	Red     = color.RGBA{R: 0xc0, G: 0x39, B: 0x2b, A: 0xff}
	Pale    = color.RGBA{R: 0x7f, G: 0xb3, B: 0xd5, A: 0xff}
	Blue    = color.RGBA{R: 0x29, G: 0x80, B: 0xb9, A: 0xff}
	Navy    = color.RGBA{R: 0x1b, G: 0x4f, B: 0x72, A: 0xff}
	Green   = color.RGBA{R: 0x27, G: 0xae, B: 0x60, A: 0xff}
	Amber   = color.RGBA{R: 0xe5, G: 0x98, B: 0x66, A: 0xff}
	Grey    = color.Gray{Y: 0x99}
	Palette = []color.Color{Red, Pale, Blue, Navy, Green, Amber, Grey}
)

// Dashes tell curves apart where there is no colour, in the order of Palette.
var Dashes = [][]vg.Length{
	nil,
	{vg.Points(2), vg.Points(2)},
	{vg.Points(5), vg.Points(2)},
	{vg.Points(8), vg.Points(3)},
	{vg.Points(1), vg.Points(2)},
	{vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)},
	{vg.Points(3), vg.Points(3)},
}

// A Drawing draws itself on a canvas; a plot is one.
type Drawing interface {
	Draw(c draw.Canvas)
}

// A Size is that of a picture. PNG has 96 dots per inch.
type Size struct{ Width, Height vg.Length }

// PNG returns a drawing as a PNG image.
func PNG(d Drawing, s Size) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(s.Width, s.Height), vgimg.UseDPI(96))
	return render(d, canvas, vgimg.PngCanvas{Canvas: canvas})
}

// SVG returns a drawing as an SVG image.
func SVG(d Drawing, s Size) ([]byte, error) {
	canvas := vgsvg.New(s.Width, s.Height)
	return render(d, canvas, canvas)
}

func render(d Drawing, canvas vg.CanvasSizer, image io.WriterTo) ([]byte, error) {
	d.Draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := image.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("write picture: %w", err)
	}
	return out.Bytes(), nil
}

// Files returns a drawing as the files NAME.png and NAME.svg.
func Files(name string, d Drawing, s Size) (map[string][]byte, error) {
	out := map[string][]byte{}
	for ending, write := range map[string]func(Drawing, Size) ([]byte, error){".png": PNG, ".svg": SVG} {
		data, err := write(d, s)
		if err != nil {
			return nil, fmt.Errorf("%s%s: %w", name, ending, err)
		}
		out[name+ending] = data
	}
	return out, nil
}
