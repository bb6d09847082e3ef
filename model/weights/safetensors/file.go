// Package safetensors reads and writes single .safetensors files.
//
// Such a file is an unsigned 64-bit little-endian length, a JSON header of that many bytes, and the data. The header maps
// each tensor's name to its element type, its shape and its byte range in the data; the name "__metadata__" holds a
// map of strings. Files come from strangers, so [Parse] checks everything that is claimed before any of it is used: ranges
// must lie in the file, must fit type and shape, and must tile the data without overlap or hole.
//
// [Open] maps the file into memory, and tensors are widened to float32 as they are asked for. [Write] replaces a file as
// one atomic step. [Map] serves files of other formats too, and [NoWeights] and [RefuseQuantised] say what to do with checkpoints that cannot be read.
package safetensors

import (
	"fmt"
	"sort"

	"parley/internal/plainfile"
)

// A Tensor describes one stored tensor.
type Tensor struct {
	Name  string
	Shape []int  // sizes of the dimensions, slowest first; none for a scalar
	DType string // of the stored elements, in the format's own words: F32, F16, BF16, Q4_K, ...
}

// Elements is the product of the shape.
func (t Tensor) Elements() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// A File is an open .safetensors file.
type File struct {
	Metadata map[string]string // of "__metadata__"; nil when there is none

	name    string // for error messages
	data    []byte
	tensors map[string]entry
	close   func() error
}

// entry is one tensor with its bytes data[begin:end].
type entry struct {
	Tensor
	begin, end int
}

// Open opens the file at path.
func Open(path string) (*File, error) {
	m, err := Map(path)
	if err != nil {
		return nil, err
	}
	f, err := Parse(path, m.Data)
	if err != nil {
		m.Close()
		return nil, err
	}
	f.close = m.Close
	return f, nil
}

// Parse reads the header of a file that is in memory. The file keeps data; name is used in errors.
func Parse(name string, data []byte) (*File, error) {
	if err := plainfile.Check(name, data); err != nil {
		return nil, err
	}
	header, body, err := split(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, plainfile.Explain(data, err))
	}
	entries, metadata, err := parseHeader(header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, plainfile.Explain(data, fmt.Errorf("safetensors header: %w", err)))
	}
	if err := checkLayout(entries, len(body)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{Metadata: metadata, name: name, data: body, tensors: make(map[string]entry, len(entries))}
	for _, e := range entries {
		f.tensors[e.Name] = e
	}
	return f, nil
}

// Close releases the file. Byte slices of [File.Bytes] are invalid afterwards.
func (f *File) Close() error {
	f.data = nil
	clear(f.tensors)
	if f.close == nil {
		return nil
	}
	return f.close()
}

// Tensors lists what the file holds, sorted by name.
func (f *File) Tensors() []Tensor {
	list := make([]Tensor, 0, len(f.tensors))
	for _, e := range f.tensors {
		list = append(list, e.Tensor)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Lookup describes the tensor called name.
func (f *File) Lookup(name string) (Tensor, bool) {
	e, ok := f.tensors[name]
	return e.Tensor, ok
}

// Bytes returns the stored bytes of a tensor, which must not be written to.
func (f *File) Bytes(name string) ([]byte, error) {
	e, ok := f.tensors[name]
	if !ok {
		return nil, fmt.Errorf("%s: no tensor %q", f.name, name)
	}
	return f.data[e.begin:e.end], nil
}

// Float32 reads a whole tensor into dst, whose length must be the number of elements.
func (f *File) Float32(name string, dst []float32) error {
	src, err := f.Bytes(name)
	if err != nil {
		return err
	}
	t := f.tensors[name].Tensor
	if len(dst) != t.Elements() {
		return fmt.Errorf("%s: tensor %q has shape %v, %d elements, not %d", f.name, name, t.Shape, t.Elements(), len(dst))
	}
	widen(dst, src, t.DType)
	return nil
}

// Rows reads whole rows of a tensor, from row from on, into dst. A row is what the first dimension counts.
func (f *File) Rows(name string, from int, dst []float32) error {
	src, err := f.Bytes(name)
	if err != nil {
		return err
	}
	t := f.tensors[name].Tensor
	if len(t.Shape) == 0 || t.Shape[0] == 0 {
		return fmt.Errorf("%s: tensor %q has shape %v, and no rows", f.name, name, t.Shape)
	}
	width := t.Elements() / t.Shape[0]
	at := from * width
	if from < 0 || width == 0 || len(dst)%width != 0 || at+len(dst) > t.Elements() {
		return fmt.Errorf("%s: tensor %q has shape %v: %d values from row %d on are not rows of it", f.name, name, t.Shape, len(dst), from)
	}
	size := dtypes[t.DType].size
	widen(dst, src[at*size:(at+len(dst))*size], t.DType)
	return nil
}

// Read is [File.Float32] into a new slice.
func (f *File) Read(name string) ([]float32, error) {
	t, ok := f.tensors[name]
	if !ok {
		return nil, fmt.Errorf("%s: no tensor %q", f.name, name)
	}
	dst := make([]float32, t.Elements())
	return dst, f.Float32(name, dst)
}
