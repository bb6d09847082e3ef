package model

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"parley/internal/plainfile"
	"parley/model/weights"
)

// OpenElsewhere opens a model that is computed elsewhere: a folder needs no weights then, as `parley model pull NAME --no-weights` leaves it. Its source has no
// tensors.
func OpenElsewhere(name string) (*Model, error) {
	path, err := Find(name)
	if err != nil || Ships(name) {
		return Open(name)
	}
	folder := plainfile.Dir(path, maxText)
	config, err := fs.ReadFile(folder, "config.json")
	if files, _ := filepath.Glob(filepath.Join(path, "*.safetensors")); err != nil || len(files) > 0 {
		return Open(name)
	}
	m := &Model{Name: name, Path: path, folder: folder, Source: shapeAlone(config)}
	return m.readFolder()
}

// shapeAlone is a checkpoint of which only config.json is here.
type shapeAlone []byte

var _ weights.Source = shapeAlone(nil)

// Config implements [weights.Source].
func (d shapeAlone) Config() []byte { return d }

// Tensors implements [weights.Source].
func (d shapeAlone) Tensors() []weights.Tensor { return nil }

// Float32 implements [weights.Source].
func (d shapeAlone) Float32(name string, _ []float32) error {
	return fmt.Errorf("there is no tensor %q: the weights of the model are not here", name)
}

// Close implements [weights.Source].
func (d shapeAlone) Close() error { return nil }
