package pipe

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

const (
	Version   = 1        // of the pipe; a worker of another one is refused
	mostHead  = 64 << 20 // bytes
	mostBytes = 64 << 30 // of a frame's tensors
	readPiece = 1 << 20  // bytes: memory is taken as they come, not as a head says that they will
)

// A Frame is a message on the pipe: the length of a head as a u32, the head as JSON, and the tensors that it lists, little-endian.
type Frame struct {
	Head    json.RawMessage
	tensors map[string]Tensor
}

// A Tensor is what a frame carries beside its head.
type Tensor struct {
	Name  string `json:"name"`
	DType string `json:"dtype"` // i32 or f32
	Shape []int  `json:"shape"`
	data  []byte
}

// Floats is a tensor of numbers.
func Floats(name string, x []float32, shape ...int) Tensor {
	t := Tensor{Name: name, DType: "f32", Shape: shape, data: make([]byte, 0, 4*len(x))}
	if shape == nil {
		t.Shape = []int{len(x)}
	}
	for _, v := range x {
		t.data = binary.LittleEndian.AppendUint32(t.data, math.Float32bits(v))
	}
	return t
}

// Ints is a tensor of tokens or of places.
func Ints(name string, x []int) Tensor {
	t := Tensor{Name: name, DType: "i32", Shape: []int{len(x)}, data: make([]byte, 0, 4*len(x))}
	for _, v := range x {
		t.data = binary.LittleEndian.AppendUint32(t.data, uint32(int32(v)))
	}
	return t
}

// Floats reads a tensor of n numbers.
func (f *Frame) Floats(name string, n int) ([]float32, error) {
	t, err := f.tensor(name, "f32", n)
	x := make([]float32, len(t.data)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.data[4*i:]))
	}
	return x, err
}

// Ints reads a tensor of n integers.
func (f *Frame) Ints(name string, n int) ([]int, error) {
	t, err := f.tensor(name, "i32", n)
	x := make([]int, len(t.data)/4)
	for i := range x {
		x[i] = int(int32(binary.LittleEndian.Uint32(t.data[4*i:])))
	}
	return x, err
}

// Len is how many elements a tensor has; 0 where there is none.
func (f *Frame) Len(name string) int { return len(f.tensors[name].data) / 4 }

// tensor finds one of n elements; n < 0: of any number of them.
func (f *Frame) tensor(name, dtype string, n int) (Tensor, error) {
	t, ok := f.tensors[name]
	switch {
	case !ok:
		return Tensor{}, Lie("tensor %s is missing", name)
	case t.DType != dtype:
		return Tensor{}, Lie("tensor %s is %s, not %s", name, t.DType, dtype)
	case n >= 0 && len(t.data) != 4*n:
		return Tensor{}, Lie("tensor %s has %d elements, not %d", name, len(t.data)/4, n)
	}
	return t, nil
}

// A liar is an error about a worker that does not keep to the protocol: nothing that it says later is believed.
type liar struct{ error }

// Lie is an error about an answer that cannot be one: the worker is not believed any more.
func Lie(format string, args ...any) error { return liar{fmt.Errorf(format, args...)} }

// writeFrame writes one: fields are those of the head.
func writeFrame(w io.Writer, fields map[string]any, tensors []Tensor) error {
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
func readFrame(r io.Reader) (*Frame, error) {
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
	var listed struct{ Tensors []Tensor }
	if err := json.Unmarshal(head, &listed); err != nil {
		return nil, fmt.Errorf("the head %.60q: %w", head, err)
	}
	f := &Frame{Head: head, tensors: make(map[string]Tensor, len(listed.Tensors))}
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
func (t *Tensor) bytes() (int, error) {
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
