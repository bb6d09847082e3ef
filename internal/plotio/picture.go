// Package plotio lays out and writes plots in one style for all of parley, for screens and for papers: PNG with twice a screen's dots, SVG
// and PDF. The same plot always gives the same bytes.
//
//	picture.go  drawings as files
//	pdf.go      the page of a PDF file
//	style.go    colours that colour-blind readers tell apart, dashes, markers, fonts
//	chart.go    a plot with its key beside it, and curves of which none hides another
//
// The rooms that have something to show lay out plots of their own: games, verifiers, the training of runs, and their comparison.
package plotio

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Drawing draws itself on a canvas; a plot is one.
type Drawing interface {
	Draw(c draw.Canvas)
}

// A Size is that of a picture. PNG has [DPI] dots per inch.
type Size struct{ Width, Height vg.Length }

// DPI is twice what screens are taken to have. Tests of short runs, of which PNG would take most of the time, set less.
var DPI = 192

// PNG returns a drawing as a PNG image.
func PNG(d Drawing, s Size) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(s.Width, s.Height), vgimg.UseDPI(DPI))
	return render(d, canvas, vgimg.PngCanvas{Canvas: canvas})
}

// SVG returns a drawing as an SVG image.
func SVG(d Drawing, s Size) ([]byte, error) {
	canvas := vgsvg.New(s.Width, s.Height)
	return render(d, canvas, canvas)
}

// PDF returns a drawing as a PDF file of one page.
func PDF(d Drawing, s Size) ([]byte, error) {
	canvas := newPDFCanvas(s)
	return render(d, canvas, canvas)
}

// Margin is around every drawing, in points.
const Margin = 8

func render(d Drawing, canvas vg.CanvasSizer, image io.WriterTo) ([]byte, error) {
	d.Draw(draw.Crop(draw.New(canvas), Margin, -Margin, Margin, -Margin))
	var out bytes.Buffer
	if _, err := image.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("write picture: %w", err)
	}
	return out.Bytes(), nil
}

// A Writer returns a drawing as the content of a file.
type Writer func(Drawing, Size) ([]byte, error)

// Format is how a file of this name is written.
func Format(file string) (Writer, error) {
	ending := strings.ToLower(filepath.Ext(file))
	if write, ok := writers()[ending]; ok {
		return write, nil
	}
	return nil, &UnknownFormatError{file}
}

// An UnknownFormatError says that a file's name does not tell how to write a picture.
type UnknownFormatError struct{ File string }

func (e *UnknownFormatError) Error() string {
	return fmt.Sprintf("picture %s: expected a name that ends in .png, .svg or .pdf", e.File)
}

func writers() map[string]Writer { return map[string]Writer{".png": PNG, ".svg": SVG, ".pdf": PDF} }

// Files returns a drawing as the files NAME.png, NAME.svg and NAME.pdf.
func Files(name string, d Drawing, s Size) (map[string][]byte, error) {
	out := map[string][]byte{}
	for ending, write := range writers() {
		data, err := write(d, s)
		if err != nil {
			return nil, fmt.Errorf("%s%s: %w", name, ending, err)
		}
		out[name+ending] = data
	}
	return out, nil
}
