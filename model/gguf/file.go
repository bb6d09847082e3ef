// Package gguf writes GGUF files, the form in which llama.cpp and ollama load models and adapters. Package weights reads them.
//
//	file.go      the file: metadata, the list of tensors, their values
//	encode.go    values as F32, F16, BF16 and Q8_0
//	metadata.go  the shape of a model as metadata, and its rotary frequencies as tensors
//	adapter.go   low-rank adapters
//	modelfile.go what ollama needs beside a model: how messages are written, where answers end
package gguf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"

	"parley/model/weights"
)

// A Tensor is one tensor of a file. Values are read when they are written, so that one tensor is in memory at a time.
type Tensor struct {
	Name  string
	Shape []int  // slowest first; a file has the reverse
	Type  string // F32, F16, BF16 or Q8_0
	Read  func(dst []float32) error
}

func (t *Tensor) elements() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// A File is what a file has.
type File struct {
	Metadata map[string]any // values of the types that weights.GGUF gives back
	Tensors  []Tensor
}

// alignment is what tensors begin at a multiple of, unless general.alignment says otherwise.
const alignment = 32

// Write writes the file to path, which must not exist. Half a file that an error leaves is removed.
func (f *File) Write(path string) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = f.encode(out)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, os.Remove(path)))
	}
	return nil
}

// encode writes the bytes of the file. The same file gives the same bytes.
func (f *File) encode(out io.Writer) error {
	w := &writer{out: bufio.NewWriterSize(out, 1<<20)}
	w.bytes([]byte("GGUF"))
	w.number(uint32(3))
	w.number(uint64(len(f.Tensors)))
	w.number(uint64(len(f.Metadata)))
	const first = "general.architecture" // readers look for it at the beginning
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(f.Metadata)), func(key string) bool { return key == first })
	if _, ok := f.Metadata[first]; ok {
		keys = append([]string{first}, keys...)
	}
	for _, key := range keys {
		w.text(key)
		w.value(f.Metadata[key])
	}
	at := uint64(0)
	for i := range f.Tensors {
		n, err := w.info(&f.Tensors[i], at)
		if err != nil {
			return err
		}
		at = padded(at + n)
	}
	w.pad()
	for i := range f.Tensors {
		if err := w.tensor(&f.Tensors[i]); err != nil {
			return fmt.Errorf("tensor %s: %w", f.Tensors[i].Name, err)
		}
	}
	if w.err != nil {
		return w.err
	}
	return w.out.Flush()
}

func padded(n uint64) uint64 { return (n + alignment - 1) / alignment * alignment }

// A writer keeps its first error; what is written after it is dropped.
type writer struct {
	out *bufio.Writer
	at  uint64
	err error
}

func (w *writer) bytes(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
		w.at += uint64(len(b))
	}
}

func (w *writer) number(v any) {
	if b, err := binary.Append(nil, binary.LittleEndian, v); err == nil {
		w.bytes(b)
	} else if w.err == nil {
		w.err = err
	}
}

func (w *writer) text(s string) {
	w.number(uint64(len(s)))
	w.bytes([]byte(s))
}

func (w *writer) pad() { w.bytes(make([]byte, padded(w.at)-w.at)) }

// value writes a value behind the number of its type.
func (w *writer) value(v any) {
	if number := slices.Index(weights.GGUFTypes, reflect.TypeOf(v)); number >= 0 {
		w.number(uint32(number))
		w.plain(v)
		return
	}
	w.number(uint32(slices.Index(weights.GGUFTypes, reflect.TypeFor[any]())))
	w.list(v)
}

func (w *writer) plain(v any) {
	if s, ok := v.(string); ok {
		w.text(s)
		return
	}
	w.number(v)
}

// list writes a list of elements of one type, or of lists.
func (w *writer) list(v any) {
	all, number := reflect.ValueOf(v), -1
	if all.Kind() == reflect.Slice {
		number = slices.Index(weights.GGUFTypes, all.Type().Elem())
	}
	if number < 0 {
		if w.err == nil {
			w.err = fmt.Errorf("metadata of type %T have no form in a GGUF file", v)
		}
		return
	}
	w.number(uint32(number))
	w.number(uint64(all.Len()))
	for i := range all.Len() {
		if element := all.Index(i); element.Kind() == reflect.Interface {
			w.list(element.Interface())
		} else {
			w.plain(element.Interface())
		}
	}
}

// info writes a tensor's entry in the list of tensors and returns its size in bytes.
func (w *writer) info(t *Tensor, at uint64) (size uint64, err error) {
	e, ok := encodings[t.Type]
	if !ok || len(t.Shape) == 0 || t.Shape[len(t.Shape)-1]%e.values != 0 {
		return 0, fmt.Errorf("tensor %s: its shape %v cannot be stored as %q", t.Name, t.Shape, t.Type)
	}
	w.text(t.Name)
	w.number(uint32(len(t.Shape)))
	for _, d := range slices.Backward(t.Shape) {
		w.number(uint64(d))
	}
	w.number(e.number)
	w.number(at)
	return uint64(t.elements() / e.values * e.bytes), nil
}

// tensor writes the values of a tensor.
func (w *writer) tensor(t *Tensor) error {
	if w.err != nil {
		return w.err
	}
	data := make([]float32, t.elements())
	if err := t.Read(data); err != nil {
		return err
	}
	b, err := encode(data, t.Type)
	if err != nil {
		return err
	}
	w.bytes(b)
	w.pad()
	return w.err
}
