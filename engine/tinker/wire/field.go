package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The types of fields on the wire.
const (
	varint    = 0
	fixed64   = 1
	delimited = 2
	fixed32   = 5
)

// A field is one of a message, as it stands there.
type field struct {
	number int
	kind   int
	value  uint64 // of a number
	data   []byte // of bytes, texts and messages: a part of what was read
}

var errCut = errors.New("the message ends within a field")

// eachField calls each with the fields of a message in order.
func eachField(data []byte, each func(f field) error) error {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29-1 {
			return errors.New("a field without a valid number")
		}
		data = data[n:]
		f := field{number: int(tag >> 3), kind: int(tag & 7)}
		n, err := f.read(data)
		if err != nil {
			return err
		}
		data = data[n:]
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// read takes the value of a field from the beginning of data, and returns how many bytes that are.
func (f *field) read(data []byte) (int, error) {
	switch f.kind {
	case varint:
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return 0, errCut
		}
		f.value = v
		return n, nil
	case fixed64:
		if len(data) < 8 {
			return 0, errCut
		}
		f.value = binary.LittleEndian.Uint64(data)
		return 8, nil
	case fixed32:
		if len(data) < 4 {
			return 0, errCut
		}
		f.value = uint64(binary.LittleEndian.Uint32(data))
		return 4, nil
	case delimited:
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return 0, errCut
		}
		f.data = data[n : n+int(size)]
		return n + int(size), nil
	}
	return 0, fmt.Errorf("field %d has the wire type %d, which the protocol does not use", f.number, f.kind)
}

// want refuses a field of another type than its message says.
func (f *field) want(kind int) error {
	if f.kind != kind {
		return fmt.Errorf("field %d has the wire type %d, expected %d", f.number, f.kind, kind)
	}
	return nil
}

// A message is what is written of one.
type message []byte

func (m *message) tag(number, kind int) {
	*m = binary.AppendUvarint(*m, uint64(number)<<3|uint64(kind))
}

// int adds a number; 0 is not written.
func (m *message) int(number int, v uint64) {
	if v != 0 {
		m.tag(number, varint)
		*m = binary.AppendUvarint(*m, v)
	}
}

func (m *message) bool(number int, v bool) {
	if v {
		m.int(number, 1)
	}
}

// bytes adds bytes, also none.
func (m *message) bytes(number int, data []byte) {
	m.tag(number, delimited)
	*m = append(binary.AppendUvarint(*m, uint64(len(data))), data...)
}

// text adds a text; an empty one is not written.
func (m *message) text(number int, s string) {
	if s != "" {
		m.bytes(number, []byte(s))
	}
}

func (m *message) double(number int, v float64) {
	m.tag(number, fixed64)
	*m = binary.LittleEndian.AppendUint64(*m, math.Float64bits(v))
}

// ints reads packed numbers, or a single one, of a repeated field.
func (f *field) ints(into []int64) ([]int64, error) {
	if f.kind == varint {
		return append(into, int64(f.value)), nil
	}
	if err := f.want(delimited); err != nil {
		return nil, err
	}
	for data := f.data; len(data) > 0; {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, errCut
		}
		into, data = append(into, int64(v)), data[n:]
	}
	return into, nil
}

// ints adds packed numbers; none are not written.
func (m *message) ints(number int, all []int64) {
	if len(all) == 0 {
		return
	}
	var packed []byte
	for _, v := range all {
		packed = binary.AppendUvarint(packed, uint64(v))
	}
	m.bytes(number, packed)
}

// An entry is one of a map with texts as keys.
type entry struct {
	key   string
	value field
}

func readEntry(f field) (e entry, err error) {
	if err := f.want(delimited); err != nil {
		return e, err
	}
	e.value = field{number: 2, kind: -1}
	err = eachField(f.data, func(part field) error {
		switch part.number {
		case 1:
			e.key = string(part.data)
			return part.want(delimited)
		case 2:
			e.value = part
		}
		return nil
	})
	return e, err
}

// double is the value of an entry whose values are numbers; absent is 0.
func (e *entry) double() (float64, error) {
	if e.value.kind == -1 {
		return 0, nil
	}
	if err := e.value.want(fixed64); err != nil {
		return 0, fmt.Errorf("entry %.40q: %w", e.key, err)
	}
	return math.Float64frombits(e.value.value), nil
}

// readMessage reads an entry whose value is a message; absent is an empty one.
func readMessage(f field) (key string, value []byte, err error) {
	e, err := readEntry(f)
	if err != nil || e.value.kind == -1 {
		return e.key, nil, err
	}
	return e.key, e.value.data, e.value.want(delimited)
}

// entry adds one of a map.
func (m *message) entry(number int, key string, value func(*message)) {
	var e message
	e.text(1, key)
	value(&e)
	m.bytes(number, e)
}
