// Package quant turns stored low-precision weights into float32 and float32 into low precision.
//
// Three families: the block formats of GGUF files (decoding only, [Lookup]), int8 with one scale per row ([Int8]), and the
// 4-bit NormalFloat of QLoRA with its double quantisation ([NF4]; Dettmers et al. 2023, section 3). Beside them stand the two 16-bit
// floating-point formats of checkpoints, bfloat16 and IEEE 754 binary16.
// Decoders reproduce the reference implementations bit for bit: every product is rounded to float32 before it is added,
// so no compiler may fuse the two.
package quant

import (
	"encoding/binary"
	"math"
)

// A Format is one way of storing elements in blocks. A row of a matrix is a whole number of blocks.
type Format struct {
	Name   string // as GGUF calls it: F32, F16, BF16, Q8_0, Q4_K, ...
	Values int    // elements of a block
	Bytes  int    // size of a block
	decode func(dst []float32, block []byte)
}

// Decode dequantises len(dst)/Values blocks. The lengths must fit: whole blocks, and Bytes of src for each.
func (f Format) Decode(dst []float32, src []byte) {
	if len(dst)%f.Values != 0 || len(src) != len(dst)/f.Values*f.Bytes {
		panic("quant: " + f.Name + ": lengths do not fit the block")
	}
	for len(dst) > 0 {
		f.decode(dst[:f.Values], src[:f.Bytes])
		dst, src = dst[f.Values:], src[f.Bytes:]
	}
}

// Lookup finds a format by its GGUF name.
func Lookup(name string) (Format, bool) {
	for _, f := range formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

var formats = []Format{
	{"F32", 1, 4, func(dst []float32, b []byte) { dst[0] = math.Float32frombits(binary.LittleEndian.Uint32(b)) }},
	{"F16", 1, 2, func(dst []float32, b []byte) { dst[0] = f16(b) }},
	{"BF16", 1, 2, func(dst []float32, b []byte) { dst[0] = FromBF16(binary.LittleEndian.Uint16(b)) }},
	{"Q8_0", 32, 34, q8_0},
	{"Q4_0", 32, 18, q4_0},
	{"Q4_1", 32, 20, q4_1},
	{"Q5_0", 32, 22, q5_0},
	{"Q5_1", 32, 24, q5_1},
	{"Q4_K", 256, 144, q4K},
	{"Q5_K", 256, 176, q5K},
	{"Q6_K", 256, 210, q6K},
}

// f16 reads the binary16 at the start of b.
func f16(b []byte) float32 { return FromF16(binary.LittleEndian.Uint16(b)) }
