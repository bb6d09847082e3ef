// Package gguftype numbers the types of metadata values in GGUF files.
package gguftype

// A Type numbers the type of a metadata value.
type Type uint32

// The types that there are.
const (
	Uint8 Type = iota
	Int8
	Uint16
	Int16
	Uint32
	Int32
	Float32
	Bool
	String
	Array
	Uint64
	Int64
	Float64
)

// Size is the least number of bytes that a value takes.
func (t Type) Size() uint64 {
	switch t {
	case Uint8, Int8, Bool:
		return 1
	case Uint16, Int16:
		return 2
	case Uint32, Int32, Float32:
		return 4
	case String, Uint64, Int64, Float64:
		return 8
	case Array:
		return 12
	}
	return 0
}
