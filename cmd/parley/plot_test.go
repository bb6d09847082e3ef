package main

import (
	"bytes"
	"encoding/xml"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"

	"parley/internal/plotio"
	"parley/rl/game"
)

func figure() game.Figure {
	g := game.Game{RSyn: 1, Tau: 0.1}
	return g.Figure5(10, game.Figure5Thresholds(10), func(g game.Game, f func(game.Game) float64) float64 { return g.GridMean(12, f) })
}

func TestPNG(t *testing.T) {
	t.Parallel()
	defer func(dpi int) { plotio.DPI = dpi }(plotio.DPI)
	plotio.DPI = 192
	data, err := figurePNG(figure())
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() < 1248 || b.Dy() < 768 {
		t.Errorf("image has %d×%d dots", b.Dx(), b.Dy())
	}
	for i, c := range plotio.Palette[:len(figure().Curves)] {
		if !drawn(img, c) {
			t.Errorf("curve %d is not in the image", i)
		}
	}
}

func drawn(img image.Image, c color.Color) bool {
	r, g, b, _ := c.RGBA()
	bounds := img.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if ir, ig, ib, _ := img.At(x, y).RGBA(); ir == r && ig == g && ib == b {
				return true
			}
		}
	}
	return false
}

func TestSVG(t *testing.T) {
	t.Parallel()
	data, err := figureSVG(figure())
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	var text strings.Builder
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if chars, ok := token.(xml.CharData); ok {
			text.Write(chars)
		}
	}
	for _, want := range []string{"multi-agent", "partner 0.5", "partner 0.7", "threshold C", "10 turns"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("image does not say %q", want)
		}
	}
}

func TestSameFigureSameBytes(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(game.Figure) ([]byte, error){"png": figurePNG, "svg": figureSVG, "pdf": figurePDF} {
		a, errA := draw(figure())
		b, errB := draw(figure())
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: two images of one figure differ (%v, %v)", name, errA, errB)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	short := figure()
	short.Curves[1].P = short.Curves[1].P[:2]
	for name, f := range map[string]game.Figure{"empty": {}, "short curve": short} {
		if _, err := figurePNG(f); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
