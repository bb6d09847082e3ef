package weights

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"parley/model/weights/gguftype"
)

// maxNesting bounds arrays of arrays in GGUF metadata; real files have none.
const maxNesting = 4

// ggufReader reads the head of a GGUF file front to back. Its first error sticks, and everything read after it is zero. No
// count is believed before the bytes that it promises are known to be there, so memory stays within a small multiple of
// the file's size.
type ggufReader struct {
	data []byte
	at   int
	err  error
}

func (r *ggufReader) left() uint64 { return uint64(len(r.data) - r.at) }

func (r *ggufReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("at byte %d: %w", r.at, fmt.Errorf(format, args...))
	}
}

// take returns the next n bytes, or n zero bytes (n is at most 8 then) after an error.
func (r *ggufReader) take(n int) []byte {
	if r.err == nil && r.left() < uint64(n) {
		r.fail("truncated: %d bytes are left where %d are needed", r.left(), n)
	}
	if r.err != nil {
		return make([]byte, n)
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *ggufReader) u8() uint8   { return r.take(1)[0] }
func (r *ggufReader) u16() uint16 { return binary.LittleEndian.Uint16(r.take(2)) }
func (r *ggufReader) u32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *ggufReader) u64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }

// count reads a number of things that take at least size bytes each.
func (r *ggufReader) count(what string, size uint64) int {
	n := r.u64()
	if r.err == nil && n > r.left()/size {
		r.fail("%d %s cannot be in the %d bytes that are left", n, what, r.left())
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

func (r *ggufReader) str() string {
	n := r.count("bytes of text", 1)
	if n == 0 {
		return ""
	}
	return string(r.take(n))
}

func (r *ggufReader) bool() bool {
	b := r.u8()
	if b > 1 {
		r.fail("%d is no bool", b)
	}
	return b == 1
}

// value reads a metadata value of type t. Arrays become slices of their elements' Go type, arrays of arrays []any.
func (r *ggufReader) value(t gguftype.Type, depth int) any {
	switch t {
	case gguftype.Uint8:
		return r.u8()
	case gguftype.Int8:
		return int8(r.u8())
	case gguftype.Uint16:
		return r.u16()
	case gguftype.Int16:
		return int16(r.u16())
	case gguftype.Uint32:
		return r.u32()
	case gguftype.Int32:
		return int32(r.u32())
	case gguftype.Float32:
		return math.Float32frombits(r.u32())
	case gguftype.Bool:
		return r.bool()
	case gguftype.String:
		return r.str()
	case gguftype.Array:
		return r.array(depth + 1)
	case gguftype.Uint64:
		return r.u64()
	case gguftype.Int64:
		return int64(r.u64())
	case gguftype.Float64:
		return math.Float64frombits(r.u64())
	}
	r.fail("unknown type %d", t)
	return nil
}

func (r *ggufReader) array(depth int) any {
	t := gguftype.Type(r.u32())
	if r.err == nil && t.Size() == 0 {
		r.fail("array of unknown type %d", t)
	}
	if r.err == nil && depth > maxNesting {
		r.fail("arrays are nested more than %d deep", maxNesting)
	}
	if r.err != nil {
		return nil
	}
	n := r.count("array elements", t.Size())
	switch t {
	case gguftype.Uint8:
		return list(r, n, r.u8)
	case gguftype.Int8:
		return list(r, n, func() int8 { return int8(r.u8()) })
	case gguftype.Uint16:
		return list(r, n, r.u16)
	case gguftype.Int16:
		return list(r, n, func() int16 { return int16(r.u16()) })
	case gguftype.Uint32:
		return list(r, n, r.u32)
	case gguftype.Int32:
		return list(r, n, func() int32 { return int32(r.u32()) })
	case gguftype.Float32:
		return list(r, n, func() float32 { return math.Float32frombits(r.u32()) })
	case gguftype.Bool:
		return list(r, n, r.bool)
	case gguftype.String:
		return list(r, n, r.str)
	case gguftype.Uint64:
		return list(r, n, r.u64)
	case gguftype.Int64:
		return list(r, n, func() int64 { return int64(r.u64()) })
	case gguftype.Float64:
		return list(r, n, func() float64 { return math.Float64frombits(r.u64()) })
	}
	return list(r, n, func() any { return r.array(depth + 1) })
}

// list reads n elements and stops at the first error.
func list[T any](r *ggufReader, n int, next func() T) []T {
	out := make([]T, 0, n)
	for len(out) < n && r.err == nil {
		out = append(out, next())
	}
	return out
}

// metadata reads n pairs of key and value.
func (r *ggufReader) metadata(n int) map[string]any {
	meta := make(map[string]any, n)
	for range n {
		key := r.str()
		if _, twice := meta[key]; twice {
			r.fail("metadata key %q occurs twice", key)
		}
		v := r.value(gguftype.Type(r.u32()), 0)
		if r.err != nil {
			r.err = fmt.Errorf("metadata key %.80q: %w", key, r.err)
			return nil
		}
		meta[key] = v
	}
	return meta
}

// checkVersion checks the magic bytes and the version.
func (r *ggufReader) checkVersion() {
	if magic := r.take(4); r.err == nil && string(magic) != "GGUF" {
		r.err = errors.New("not a GGUF file: it does not begin with GGUF")
	}
	v := r.u32()
	switch {
	case r.err != nil:
	case v&0xffff == 0:
		r.err = errors.New("big-endian GGUF files are not supported")
	case v != 2 && v != 3:
		r.err = fmt.Errorf("GGUF version %d is not supported, only 2 and 3", v)
	}
}
