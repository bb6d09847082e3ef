package datacmd

import (
	"bytes"
	"reflect"
	"testing"

	"parley/rl/verifier"
)

// TestPictures: PNG, SVG and PDF of both, the same bytes each time; also where there is no area to draw.
func TestPictures(t *testing.T) {
	for _, right := range [][]bool{{true, false}, {true, true}} {
		m := verifier.Compare([][]float64{{.5, .9}, {.5, .2}}, right)
		list, err := pictures(m)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := pictures(m)
		if !reflect.DeepEqual(list, again) {
			t.Error("other bytes the second time")
		}
		for _, name := range []string{"reliability", "prefix"} {
			if !bytes.HasPrefix(list[name+".png"], []byte("\x89PNG")) || !bytes.Contains(list[name+".svg"], []byte("<svg")) || !bytes.HasPrefix(list[name+".pdf"], []byte("%PDF-")) {
				t.Errorf("%s: %d and %d bytes", name, len(list[name+".png"]), len(list[name+".svg"]))
			}
		}
	}
}
