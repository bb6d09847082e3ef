package gguf

import (
	"encoding/binary"
	"fmt"
	"math"

	"parley/model/weights/quant"
)

// An encoding is a way to store values in blocks.
type encoding struct {
	number        uint32 // ggml's
	file          uint32 // general.file_type of a file whose matrices have it
	values, bytes int    // of a block
	block         func(dst []byte, src []float32) []byte
}

var encodings = map[string]encoding{
	"F32": {0, 0, 1, 4, func(dst []byte, src []float32) []byte {
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(src[0]))
	}},
	"F16": {1, 1, 1, 2, func(dst []byte, src []float32) []byte {
		return binary.LittleEndian.AppendUint16(dst, quant.ToF16(src[0]))
	}},
	"BF16": {30, 32, 1, 2, func(dst []byte, src []float32) []byte {
		return binary.LittleEndian.AppendUint16(dst, quant.ToBF16(src[0]))
	}},
	"Q8_0": {8, 7, 32, 34, blockQ8},
}

// encode returns the bytes of values. A number that a type has none near is an error.
func encode(data []float32, kind string) ([]byte, error) {
	e := encodings[kind]
	out := make([]byte, 0, len(data)/e.values*e.bytes)
	for i := 0; i < len(data); i += e.values {
		block := data[i : i+e.values]
		if err := inRange(block, kind); err != nil {
			return nil, fmt.Errorf("values from %d on: %w", i, err)
		}
		out = e.block(out, block)
	}
	return out, nil
}

// inRange reports values that are no numbers, or too large: the scale of a Q8_0 block is an F16.
func inRange(block []float32, kind string) error {
	most := float32(math.MaxFloat32)
	switch kind {
	case "F16":
		most = 65504
	case "Q8_0":
		most = 65504 * 127
	}
	for _, v := range block {
		switch {
		case v-v != 0:
			return fmt.Errorf("%g is no number: the weights are damaged", v)
		case v > most || v < -most:
			return fmt.Errorf("%g is beyond the range of %s; use BF16 or F32", v, kind)
		}
	}
	return nil
}

// blockQ8 stores 32 values as whole numbers from -127 to 127 and their step in F16, as ggml does: the numbers are rounded by the step before it
// is rounded itself, halves away from zero.
func blockQ8(dst []byte, src []float32) []byte {
	most := float32(0)
	for _, v := range src {
		most = max(most, v, -v)
	}
	step, inverse := most/127, float32(0)
	if step != 0 {
		inverse = 1 / step
	}
	dst = binary.LittleEndian.AppendUint16(dst, quant.ToF16(step))
	for _, v := range src {
		dst = append(dst, byte(int8(math.Round(float64(v*inverse)))))
	}
	return dst
}

// FileType is general.file_type of a file with these tensors: that of its matrices.
func FileType(tensors []Tensor) uint32 {
	kind := uint32(0)
	for _, t := range tensors {
		if len(t.Shape) > 1 {
			kind = encodings[t.Type].file
		}
	}
	return kind
}
