package safetensors

import (
	"encoding/binary"
	"math"

	"parley/model/weights/quant"
)

// dtypes are the element types that can be stored: bytes of one element and how it becomes a float32. Integers beyond
// 2^24 and float64 are rounded.
var dtypes = map[string]struct {
	size  int
	float func(b []byte) float32
}{
	"F32":  {4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }},
	"F16":  {2, func(b []byte) float32 { return quant.FromF16(binary.LittleEndian.Uint16(b)) }},
	"BF16": {2, func(b []byte) float32 { return quant.FromBF16(binary.LittleEndian.Uint16(b)) }},
	"F64":  {8, func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }},
	"I64":  {8, func(b []byte) float32 { return float32(int64(binary.LittleEndian.Uint64(b))) }},
	"U64":  {8, func(b []byte) float32 { return float32(binary.LittleEndian.Uint64(b)) }},
	"I32":  {4, func(b []byte) float32 { return float32(int32(binary.LittleEndian.Uint32(b))) }},
	"U32":  {4, func(b []byte) float32 { return float32(binary.LittleEndian.Uint32(b)) }},
	"I16":  {2, func(b []byte) float32 { return float32(int16(binary.LittleEndian.Uint16(b))) }},
	"U16":  {2, func(b []byte) float32 { return float32(binary.LittleEndian.Uint16(b)) }},
	"I8":   {1, func(b []byte) float32 { return float32(int8(b[0])) }},
	"U8":   {1, func(b []byte) float32 { return float32(b[0]) }},
	"BOOL": {1, func(b []byte) float32 { return float32(b[0]) }},
}

// widen converts all of src, len(dst) elements of dtype. The frequent types have loops of their own.
func widen(dst []float32, src []byte, dtype string) {
	switch dtype {
	case "F32":
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	case "BF16":
		for i := range dst {
			dst[i] = quant.FromBF16(binary.LittleEndian.Uint16(src[2*i:]))
		}
	default:
		t := dtypes[dtype]
		for i := range dst {
			dst[i] = t.float(src[i*t.size:])
		}
	}
}
