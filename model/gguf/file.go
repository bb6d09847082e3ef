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
	"slices"
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

// The numbers of the types of values.
const (
	typeString = 8
	typeArray  = 9
)

// typeOf is the number of a value's type that is not a list; ok is false where there is none.
func typeOf(v any) (number uint32, ok bool) {
	switch v.(type) {
	case uint8:
		return 0, true
	case int8:
		return 1, true
	case uint16:
		return 2, true
	case int16:
		return 3, true
	case uint32:
		return 4, true
	case int32:
		return 5, true
	case float32:
		return 6, true
	case bool:
		return 7, true
	case string:
		return typeString, true
	case uint64:
		return 10, true
	case int64:
		return 11, true
	case float64:
		return 12, true
	}
	return 0, false
}

// value writes a value behind the number of its type.
func (w *writer) value(v any) {
	if number, ok := typeOf(v); ok {
		w.number(number)
		w.plain(v)
		return
	}
	w.number(uint32(typeArray))
	w.list(v)
}

func (w *writer) plain(v any) {
	if s, ok := v.(string); ok {
		w.text(s)
		return
	}
	w.number(v)
}

func (w *writer) list(v any) {
	switch v := v.(type) {
	case []string:
		list(w, v)
	case []uint8:
		list(w, v)
	case []int8:
		list(w, v)
	case []uint16:
		list(w, v)
	case []int16:
		list(w, v)
	case []uint32:
		list(w, v)
	case []int32:
		list(w, v)
	case []float32:
		list(w, v)
	case []bool:
		list(w, v)
	case []uint64:
		list(w, v)
	case []int64:
		list(w, v)
	case []float64:
		list(w, v)
	case []any:
		w.number(uint32(typeArray))
		w.number(uint64(len(v)))
		for _, inner := range v {
			w.list(inner)
		}
	default:
		if w.err == nil {
			w.err = fmt.Errorf("metadata of type %T have no form in a GGUF file", v)
		}
	}
}

// list writes a list of elements of one type.
func list[T any](w *writer, all []T) {
	number, _ := typeOf(*new(T))
	w.number(number)
	w.number(uint64(len(all)))
	for _, v := range all {
		w.plain(v)
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
