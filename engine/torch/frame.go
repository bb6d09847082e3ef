package torch

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

const (
	version   = 1        // of the pipe; a worker of another one is refused
	mostHead  = 64 << 20 // bytes
	mostBytes = 64 << 30 // of a frame's tensors
	readPiece = 1 << 20  // bytes: memory is taken as they come, not as a head says that they will
)

// A frame is a message on the pipe: the length of a head as a u32, the head as JSON, and the tensors that it lists, little-endian.
type frame struct {
	head    json.RawMessage
	tensors map[string]tensor
}

// A tensor is what a frame carries beside its head.
type tensor struct {
	Name  string `json:"name"`
	DType string `json:"dtype"` // i32 or f32
	Shape []int  `json:"shape"`
	data  []byte
}

// floats is a tensor of numbers.
func floats(name string, x []float32, shape ...int) tensor {
	t := tensor{Name: name, DType: "f32", Shape: shape, data: make([]byte, 0, 4*len(x))}
	if shape == nil {
		t.Shape = []int{len(x)}
	}
	for _, v := range x {
		t.data = binary.LittleEndian.AppendUint32(t.data, math.Float32bits(v))
	}
	return t
}

// ints is a tensor of tokens or of places.
func ints(name string, x []int) tensor {
	t := tensor{Name: name, DType: "i32", Shape: []int{len(x)}, data: make([]byte, 0, 4*len(x))}
	for _, v := range x {
		t.data = binary.LittleEndian.AppendUint32(t.data, uint32(int32(v)))
	}
	return t
}

// floats reads a tensor of n numbers.
func (f *frame) floats(name string, n int) ([]float32, error) {
	t, err := f.tensor(name, "f32", n)
	x := make([]float32, len(t.data)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.data[4*i:]))
	}
	return x, err
}

// ints reads a tensor of n integers.
func (f *frame) ints(name string, n int) ([]int, error) {
	t, err := f.tensor(name, "i32", n)
	x := make([]int, len(t.data)/4)
	for i := range x {
		x[i] = int(int32(binary.LittleEndian.Uint32(t.data[4*i:])))
	}
	return x, err
}

// tensor finds one of n elements; n < 0: of any number of them.
func (f *frame) tensor(name, dtype string, n int) (tensor, error) {
	t, ok := f.tensors[name]
	switch {
	case !ok:
		return tensor{}, lie("tensor %s is missing", name)
	case t.DType != dtype:
		return tensor{}, lie("tensor %s is %s, not %s", name, t.DType, dtype)
	case n >= 0 && len(t.data) != 4*n:
		return tensor{}, lie("tensor %s has %d elements, not %d", name, len(t.data)/4, n)
	}
	return t, nil
}

// A liar is an error about a worker that does not keep to the protocol: nothing that it says later is believed.
type liar struct{ error }

func lie(format string, args ...any) error { return liar{fmt.Errorf(format, args...)} }

// writeFrame writes one: fields are those of the head.
func writeFrame(w io.Writer, fields map[string]any, tensors []tensor) error {
	if len(tensors) > 0 {
		fields["tensors"] = tensors
	}
	head, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	if len(head) > mostHead {
		return fmt.Errorf("a head of %d bytes is more than the %d that a worker reads; ask for less at a time", len(head), mostHead)
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...)); err != nil {
		return err
	}
	for _, t := range tensors {
		if _, err := w.Write(t.data); err != nil {
			return err
		}
	}
	return nil
}

// readFrame reads one. The end of r before its first byte is io.EOF.
func readFrame(r io.Reader) (*frame, error) {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(n[:])
	if size > mostHead {
		return nil, fmt.Errorf("a head of %d bytes, more than %d", size, mostHead)
	}
	head, err := readBytes(r, int(size))
	if err != nil {
		return nil, fmt.Errorf("a head of %d bytes: %w", size, err)
	}
	var listed struct{ Tensors []tensor }
	if err := json.Unmarshal(head, &listed); err != nil {
		return nil, fmt.Errorf("the head %.60q: %w", head, err)
	}
	f := &frame{head: head, tensors: make(map[string]tensor, len(listed.Tensors))}
	total := 0
	for _, t := range listed.Tensors {
		n, err := t.bytes()
		if total += n; err == nil && total > mostBytes {
			err = fmt.Errorf("more than %d bytes of tensors", mostBytes)
		}
		if err == nil {
			t.data, err = readBytes(r, n)
		}
		if err != nil {
			return nil, fmt.Errorf("tensor %.60q: %w", t.Name, err)
		}
		f.tensors[t.Name] = t
	}
	return f, nil
}

// bytes is how long the data of a tensor are.
func (t *tensor) bytes() (int, error) {
	if t.DType != "f32" && t.DType != "i32" {
		return 0, fmt.Errorf("of type %.20q", t.DType)
	}
	n := 4
	for _, d := range t.Shape {
		if d < 0 || d > 0 && n > mostBytes/d {
			return 0, fmt.Errorf("of shape %.10v", t.Shape)
		}
		n *= d
	}
	return n, nil
}

// readBytes reads n bytes.
func readBytes(r io.Reader, n int) ([]byte, error) {
	data := make([]byte, 0, min(n, readPiece))
	for len(data) < n {
		from := len(data)
		data = append(data, make([]byte, min(n-from, max(from, readPiece)))...)
		if _, err := io.ReadFull(r, data[from:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return data, nil
}
