package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A DType is the type of the elements of a tensor.
type DType int

// The types of the protocol.
const (
	Float32  DType = 1
	Int64    DType = 2
	Int32    DType = 3
	BFloat16 DType = 4 // the upper 16 bits of a float32
)

var sizes = map[DType]int{Float32: 4, Int64: 8, Int32: 4, BFloat16: 2}

// A Tensor is an array of numbers, row by row.
type Tensor struct {
	DType  DType
	Floats []float32 // of Float32 and BFloat16
	Ints   []int64   // of Int64 and Int32
	Shape  []int64   // nil: it has one dimension
	Rows   []int64   // of a sparse one: where its rows begin among the elements, and where the last one ends; nil: all elements are there
	Cols   []int64   // of a sparse one: the column of each element
}

// FloatsOf is a tensor of one dimension.
func FloatsOf(x []float32) Tensor {
	return Tensor{DType: Float32, Floats: x, Shape: []int64{int64(len(x))}}
}

// IntsOf is a tensor of one dimension.
func IntsOf(x []int64) Tensor { return Tensor{DType: Int64, Ints: x, Shape: []int64{int64(len(x))}} }

// Len counts the elements that are there.
func (t *Tensor) Len() int { return len(t.Floats) + len(t.Ints) }

// readElements reads little-endian numbers of a type.
func readElements(dtype DType, data []byte) (t Tensor, err error) {
	size := sizes[dtype]
	if size == 0 {
		return t, fmt.Errorf("a tensor has the type %d, which the protocol does not have", dtype)
	}
	if len(data)%size != 0 {
		return t, fmt.Errorf("a tensor of %d bytes, which is no multiple of %d", len(data), size)
	}
	t.DType = dtype
	n := len(data) / size
	for i := range n {
		at := data[i*size:]
		switch dtype {
		case Float32:
			t.Floats = append(t.Floats, math.Float32frombits(binary.LittleEndian.Uint32(at)))
		case BFloat16:
			t.Floats = append(t.Floats, math.Float32frombits(uint32(binary.LittleEndian.Uint16(at))<<16))
		case Int64:
			t.Ints = append(t.Ints, int64(binary.LittleEndian.Uint64(at)))
		case Int32:
			t.Ints = append(t.Ints, int64(int32(binary.LittleEndian.Uint32(at))))
		}
	}
	return t, nil
}

// elements are the numbers of a tensor as they stand on the wire.
func (t *Tensor) elements() []byte {
	var out []byte
	for _, x := range t.Floats {
		if t.DType == BFloat16 {
			out = binary.LittleEndian.AppendUint16(out, uint16(math.Float32bits(x)>>16))
		} else {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
	}
	for _, x := range t.Ints {
		if t.DType == Int32 {
			out = binary.LittleEndian.AppendUint32(out, uint32(x))
		} else {
			out = binary.LittleEndian.AppendUint64(out, uint64(x))
		}
	}
	return out
}

// readTensor reads the message Tensor.
func readTensor(data []byte) (t Tensor, err error) {
	var elements, rows, cols []byte
	var dtype DType
	var shape []int64
	sparse := false
	err = eachField(data, func(f field) (err error) {
		switch f.number {
		case 1:
			elements = f.data
			return f.want(delimited)
		case 2:
			sparse = true
			if err := f.want(delimited); err != nil {
				return err
			}
			return eachField(f.data, func(f field) error {
				if into := map[int]*[]byte{1: &elements, 2: &rows, 3: &cols}[f.number]; into != nil {
					*into = f.data
					return f.want(delimited)
				}
				return nil
			})
		case 3:
			dtype = DType(f.value)
			return f.want(varint)
		case 4:
			shape, err = f.ints(shape)
		}
		return err
	})
	if err != nil {
		return t, err
	}
	if t, err = readElements(dtype, elements); err != nil {
		return t, err
	}
	t.Shape = shape
	if !sparse {
		return t, t.checkShape()
	}
	r, err := readElements(Int64, rows)
	if err != nil {
		return t, err
	}
	c, err := readElements(Int64, cols)
	t.Rows, t.Cols = r.Ints, c.Ints
	if err != nil {
		return t, err
	}
	return t, t.checkSparse()
}

// checkShape refuses a shape that has another number of elements.
func (t *Tensor) checkShape() error {
	if len(t.Shape) == 0 {
		return nil
	}
	n := int64(1)
	for _, d := range t.Shape {
		if d < 0 || d > 0 && n > math.MaxInt64/d {
			return fmt.Errorf("a tensor has the shape %v", t.Shape)
		}
		n *= d
	}
	if n != int64(t.Len()) {
		return fmt.Errorf("a tensor of shape %v has %d elements", t.Shape, t.Len())
	}
	return nil
}

// checkSparse refuses rows and columns that do not fit the elements.
func (t *Tensor) checkSparse() error {
	if len(t.Shape) != 2 || int64(len(t.Rows)) != t.Shape[0]+1 || len(t.Cols) != t.Len() || len(t.Rows) == 0 || t.Rows[0] != 0 || t.Rows[len(t.Rows)-1] != int64(t.Len()) {
		return fmt.Errorf("a sparse tensor of shape %v has %d row ends, %d columns and %d elements", t.Shape, len(t.Rows), len(t.Cols), t.Len())
	}
	for i, r := range t.Rows[1:] {
		if r < t.Rows[i] {
			return fmt.Errorf("row %d of a sparse tensor ends before it begins", i)
		}
	}
	for _, c := range t.Cols {
		if c < 0 || c >= t.Shape[1] {
			return fmt.Errorf("column %d of a sparse tensor of shape %v", c, t.Shape)
		}
	}
	return nil
}

// encode writes the message Tensor.
func (t *Tensor) encode() message {
	var m message
	if t.Rows == nil {
		m.bytes(1, t.elements())
	} else {
		var sparse message
		sparse.bytes(1, t.elements())
		sparse.bytes(2, (&Tensor{DType: Int64, Ints: t.Rows}).elements())
		sparse.bytes(3, (&Tensor{DType: Int64, Ints: t.Cols}).elements())
		m.bytes(2, sparse)
	}
	m.int(3, uint64(t.DType))
	m.ints(4, t.Shape)
	return m
}
