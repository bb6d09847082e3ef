package weights

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
)

// GGUFTypes are the types of metadata values in GGUF files, by their numbers; any stands for arrays.
var GGUFTypes = []reflect.Type{
	reflect.TypeFor[uint8](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[int16](), reflect.TypeFor[uint32](), reflect.TypeFor[int32](),
	reflect.TypeFor[float32](), reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[any](),
	reflect.TypeFor[uint64](), reflect.TypeFor[int64](), reflect.TypeFor[float64](),
}

// kindOf is what a type is; invalid: there is none of this number.
func kindOf(t uint32) reflect.Kind {
	if t >= uint32(len(GGUFTypes)) {
		return reflect.Invalid
	}
	return GGUFTypes[t].Kind()
}

// leastBytes is the least number of bytes that a value of a type takes.
func leastBytes(t uint32) uint64 {
	switch kindOf(t) {
	case reflect.String:
		return 8
	case reflect.Interface:
		return 12
	}
	return uint64(GGUFTypes[t].Size())
}

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
func (r *ggufReader) value(t uint32, depth int) any {
	switch kindOf(t) {
	case reflect.Uint8:
		return r.u8()
	case reflect.Int8:
		return int8(r.u8())
	case reflect.Uint16:
		return r.u16()
	case reflect.Int16:
		return int16(r.u16())
	case reflect.Uint32:
		return r.u32()
	case reflect.Int32:
		return int32(r.u32())
	case reflect.Float32:
		return math.Float32frombits(r.u32())
	case reflect.Bool:
		return r.bool()
	case reflect.String:
		return r.str()
	case reflect.Interface:
		return r.array(depth + 1)
	case reflect.Uint64:
		return r.u64()
	case reflect.Int64:
		return int64(r.u64())
	case reflect.Float64:
		return math.Float64frombits(r.u64())
	}
	r.fail("unknown type %d", t)
	return nil
}

// array reads the elements of one and stops at the first error.
func (r *ggufReader) array(depth int) any {
	t := r.u32()
	if r.err == nil && kindOf(t) == reflect.Invalid {
		r.fail("array of unknown type %d", t)
	}
	if r.err == nil && depth > maxNesting {
		r.fail("arrays are nested more than %d deep", maxNesting)
	}
	if r.err != nil {
		return nil
	}
	n := r.count("array elements", leastBytes(t))
	out := reflect.MakeSlice(reflect.SliceOf(GGUFTypes[t]), n, n)
	for i := 0; i < n && r.err == nil; i++ {
		if v := r.value(t, depth); r.err == nil {
			out.Index(i).Set(reflect.ValueOf(v))
		}
	}
	return out.Interface()
}

// metadata reads n pairs of key and value.
func (r *ggufReader) metadata(n int) map[string]any {
	meta := make(map[string]any, n)
	for range n {
		key := r.str()
		if _, twice := meta[key]; twice {
			r.fail("metadata key %q occurs twice", key)
		}
		v := r.value(r.u32(), 0)
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
