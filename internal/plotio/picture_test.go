package plotio_test

import (
	"bytes"
	"reflect"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"parley/internal/plotio"
)

// TestFiles: one plot gives PNG, SVG and PDF, and the same bytes however often it is drawn.
func TestFiles(t *testing.T) {
	p := plot.New()
	p.Title.Text = "a line"
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 2}})
	if err != nil {
		t.Fatal(err)
	}
	p.Add(plotter.NewGrid(), line)
	size := plotio.Size{Width: 2 * vg.Inch, Height: vg.Inch}
	list, err := plotio.Files("a", p, size)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(list["a.png"], []byte("\x89PNG")) || !bytes.Contains(list["a.svg"], []byte("<svg")) || !bytes.Contains(list["a.svg"], []byte("a line")) || !bytes.HasPrefix(list["a.pdf"], []byte("%PDF-")) || len(list) != 3 {
		t.Errorf("files %v", reflect.ValueOf(list).MapKeys())
	}
	if again, err := plotio.Files("a", p, size); err != nil || !reflect.DeepEqual(list, again) {
		t.Errorf("other bytes the second time, %v", err)
	}
}
