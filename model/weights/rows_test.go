package weights_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/model/weights"
)

// Reading a tensor in pieces gives the whole, of every stored kind, also after the memory of the files was let go.
func TestRows(t *testing.T) {
	read := 0
	for _, kind := range []string{"models", "gguf"} {
		dir := filepath.Join("testdata", kind)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			src, err := weights.Open(filepath.Join(dir, entry.Name()))
			if err != nil {
				continue // a test input of other tests, no checkpoint
			}
			read++
			t.Cleanup(func() { src.Close() })
			for _, tensor := range src.Tensors() {
				checkRows(t, src, tensor)
			}
		}
	}
	if read < 2 {
		t.Errorf("%d checkpoints read", read)
	}
}

func checkRows(t *testing.T, src weights.Source, tensor weights.Tensor) {
	t.Helper()
	whole := make([]float32, tensor.Elements())
	if err := src.Float32(tensor.Name, whole); err != nil {
		t.Fatal(err)
	}
	src.(weights.Forgetter).Forget()
	rows := tensor.Shape[0]
	width := len(whole) / rows
	r := src.(weights.RowReader)
	for from := 0; from < rows; from += 7 {
		piece := make([]float32, min(7, rows-from)*width)
		if err := r.Rows(tensor.Name, from, piece); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(piece, whole[from*width:][:len(piece)]) {
			t.Errorf("%s: rows from %d on differ", tensor.Name, from)
		}
	}
	for _, from := range []int{-1, rows} {
		if err := r.Rows(tensor.Name, from, make([]float32, width)); err == nil {
			t.Errorf("%s: row %d of %d was read", tensor.Name, from, rows)
		}
	}
	if err := r.Rows("none", 0, whole); err == nil {
		t.Error("a tensor that is not there was read")
	}
}
