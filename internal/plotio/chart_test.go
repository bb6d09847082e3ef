package plotio_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"parley/internal/plotio"
)

// drawn is a chart of so many equal curves as an image, and how wide its key is in dots.
func drawn(t *testing.T, curves, points int) (image.Image, int) {
	t.Helper()
	c := plotio.NewChart("title", "x", "y")
	var all []plotio.Curve
	for i := range curves {
		one := plotio.Curve{Name: "curve " + string(rune('a'+i))}
		for x := range points {
			one.Points = append(one.Points, plotter.XY{X: float64(x), Y: float64(x * x)})
		}
		all = append(all, one)
	}
	if err := c.Curves(all); err != nil {
		t.Fatal(err)
	}
	inner := plotio.Size{Width: 6 * vg.Inch, Height: 4 * vg.Inch}
	whole := c.Around(inner)
	data, err := plotio.PNG(c, whole)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img, int((whole.Width - inner.Width).Dots(float64(plotio.DPI)))
}

// count are the dots of a colour from one column to another.
func count(img image.Image, c color.Color, from, to int) int {
	r, g, b, _ := c.RGBA()
	n := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := from; x < to; x++ {
			if ir, ig, ib, _ := img.At(x, y).RGBA(); ir == r && ig == g && ib == b {
				n++
			}
		}
	}
	return n
}

// TestNothingHidden: of equal curves every one is seen, from two to a palette of them, of few points and of many; and the key is beside
// the axes.
func TestNothingHidden(t *testing.T) {
	for _, points := range []int{3, 40} {
		for curves := 2; curves <= len(plotio.Palette); curves++ {
			img, key := drawn(t, curves, points)
			axes := img.Bounds().Dx() - key
			for i, c := range plotio.Palette[:curves] {
				if n := count(img, c, 0, axes); n < 150 {
					t.Errorf("%d curves of %d points: %d dots are seen of curve %d", curves, points, n, i+1)
				}
				if n := count(img, c, axes, img.Bounds().Dx()); n < 40 {
					t.Errorf("%d curves: %d dots of curve %d are in the key", curves, n, i+1)
				}
			}
		}
	}
}
